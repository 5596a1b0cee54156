# SPDX-License-Identifier: BSD-3-Clause
# Installs the program (component "program"), the libraries with their public headers, and the package that
# find_package(Skimline) finds ("development").
include(CMakePackageConfigHelpers)

set(SKIMLINE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Skimline)

foreach(folder framework histograms io skims/generate skims)
  get_filename_component(library ${folder} NAME)
  if(TARGET skimline_${library})
    install(TARGETS skimline_${library} EXPORT SkimlineTargets 
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
            FILES_MATCHING PATTERN "*.h")
  endif()
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/framework/include/skimline/framework/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/skimline/framework COMPONENT development)
if(TARGET skimline)
  install(TARGETS skimline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  if(NOT CMAKE_CROSSCOMPILING)
    set(generated ${PROJECT_BINARY_DIR}/skims/generated)
    install(FILES ${generated}/skimline.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
    install(FILES ${generated}/skimline.bash RENAME skimline
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${generated}/_skimline DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
    install(FILES ${generated}/skimline.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  endif()
endif()

install(EXPORT SkimlineTargets NAMESPACE Skimline:: DESTINATION ${SKIMLINE_PACKAGE_DIR} COMPONENT development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/SkimlineConfig.cmake.in ${PROJECT_BINARY_DIR}/SkimlineConfig.cmake
  INSTALL_DESTINATION ${SKIMLINE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SkimlineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SkimlineConfig.cmake ${PROJECT_BINARY_DIR}/SkimlineConfigVersion.cmake
        DESTINATION ${SKIMLINE_PACKAGE_DIR} COMPONENT development)

# Of Debian: the program with its man page and completions; dpkg-shlibdeps says what it needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME skimline)
set(CPACK_PACKAGE_VENDOR "The Skimline developers")
set(CPACK_PACKAGE_CONTACT "The Skimline developers <developers@skimline.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME skimline)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when a URL first needs it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcurl4)
include(CPack)
