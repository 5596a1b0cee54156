# SPDX-License-Identifier: BSD-3-Clause
# Installs the program, the libraries with their public headers, and the package that find_package(Skimline) finds.
include(CMakePackageConfigHelpers)

set(SKIMLINE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Skimline)

foreach(folder framework histograms io skims/generate skims)
  get_filename_component(library ${folder} NAME)
  if(TARGET skimline_${library})
    install(TARGETS skimline_${library} EXPORT SkimlineTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN "*.h")
  endif()
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/framework/include/skimline/framework/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/skimline/framework)
if(TARGET skimline)
  install(TARGETS skimline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)
    set(generated ${PROJECT_BINARY_DIR}/skims/generated)
    install(FILES ${generated}/skimline.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${generated}/skimline.bash RENAME skimline
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${generated}/_skimline DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${generated}/skimline.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

install(EXPORT SkimlineTargets NAMESPACE Skimline:: DESTINATION ${SKIMLINE_PACKAGE_DIR})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/SkimlineConfig.cmake.in ${PROJECT_BINARY_DIR}/SkimlineConfig.cmake
  INSTALL_DESTINATION ${SKIMLINE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SkimlineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SkimlineConfig.cmake ${PROJECT_BINARY_DIR}/SkimlineConfigVersion.cmake
        DESTINATION ${SKIMLINE_PACKAGE_DIR})
