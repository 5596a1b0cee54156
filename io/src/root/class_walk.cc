// SPDX-License-Identifier: BSD-3-Clause
#include "root/class_walk.h"

#include "root/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skimline::io {
namespace {

// Bases of bases; a class that says it is its own base ends here.
constexpr int kMaxBaseDepth = 40;
// In all trees together there are a few dozen; more would only make their search slow.
constexpr std::size_t kMaxPlans = 1000;

// What a flag before the positions of baskets says in files of ROOT 3 and 4, which write them with 4 bytes
// where these hold them, whatever type the member has.
constexpr std::uint8_t kLongPositions = 2;
constexpr int kLastFlaggedVersion = 9;  // of TBranch

struct NamedMember {
  std::string_view name;
  Member member;
};

constexpr NamedMember kMembers[] = {
    {"fName", Member::kName},
    {"fTitle", Member::kTitle},
    {"fEntries", Member::kEntries},
    {"fMaxEntries", Member::kMaxEntries},
    {"fSavedBytes", Member::kSavedBytes},
    {"fFlushedBytes", Member::kFlushedBytes},
    {"fWeight", Member::kWeight},
    {"fAutoFlush", Member::kAutoFlush},
    {"fNClusterRange", Member::kNumClusterRanges},
    {"fClusterRangeEnd", Member::kClusterRangeEnd},
    {"fClusterSize", Member::kClusterSize},
    {"fAliases", Member::kAliases},
    {"fTreeIndex", Member::kTreeIndex},
    {"fIndexValues", Member::kIndexValues},
    {"fIndex", Member::kIndexEntries},
    {"fFriends", Member::kFriends},
    {"fTreeName", Member::kTreeName},
    {"fUserInfo", Member::kUserInfo},
    {"fBranchRef", Member::kBranchRef},
    {"fCompress", Member::kCompress},
    {"fEntryOffsetLen", Member::kEntryOffsets},
    {"fIOFeatures", Member::kFeatures},
    {"fWriteBasket", Member::kWriteBasket},
    {"fEntryNumber", Member::kEntryNumber},
    {"fMaxBaskets", Member::kMaxBaskets},
    {"fFirstEntry", Member::kFirstEntry},
    {"fTotBytes", Member::kTotBytes},
    {"fZipBytes", Member::kZipBytes},
    {"fBranches", Member::kBranches},
    {"fLeaves", Member::kLeaves},
    {"fBaskets", Member::kBaskets},
    {"fBasketBytes", Member::kBasketBytes},
    {"fBasketEntry", Member::kBasketEntry},
    {"fBasketSeek", Member::kBasketSeek},
    {"fFileName", Member::kFileName},
    {"fClassName", Member::kClassName},
    {"fParentName", Member::kParentName},
    {"fClonesName", Member::kClonesName},
    {"fCheckSum", Member::kCheckSum},
    {"fClassVersion", Member::kClassVersion},
    {"fID", Member::kId},
    {"fType", Member::kType},
    {"fStreamerType", Member::kStreamerType},
    {"fBranchCount", Member::kBranchCount},
    {"fBranchCount2", Member::kBranchCount2},
    {"fMinimum", Member::kMinimum},
    {"fMaximum", Member::kMaximum},
    {"fLen", Member::kLength},
    {"fIsUnsigned", Member::kIsUnsigned},
    {"fLeafCount", Member::kLeafCount},
    {"fFiles", Member::kFiles},
    {"fTreeOffset", Member::kTreeOffsets},
    {"fLists", Member::kLists},
    {"fBlocks", Member::kBlocks},
    {"fNPassed", Member::kNumPassed},
    {"fIndices", Member::kIndices},
    {"fPassing", Member::kPassing},
    {"fList", Member::kEntryNumbers},
    {"fN", Member::kCount},
};

Member member_called(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMembers), std::end(kMembers),
                                   [&](const NamedMember& known) { return known.name == name; });
  return found == std::end(kMembers) ? Member::kNone : found->member;
}

// Bytes of the numbers of a TArray; 0 if the class is another.
std::size_t numbers_size(std::string_view class_name) {
  if (class_name == "TArrayC") return 1;
  if (class_name == "TArrayS") return 2;
  if (class_name == "TArrayI" || class_name == "TArrayF") return 4;
  const bool has_eight = class_name == "TArrayD" || class_name == "TArrayL" || class_name == "TArrayL64";
  return has_eight ? 8 : 0;
}

std::int64_t as_integer(double real) {
  if (!(std::abs(real) < 0x1p62)) throw FormatError("a number that is no integer");
  return static_cast<std::int64_t>(real);
}

template <typename Signed>
std::int64_t read_sized(StreamedBytes& bytes, bool is_signed) {
  const auto value = bytes.number<Signed>();
  if (is_signed) return value;
  return static_cast<std::int64_t>(static_cast<std::make_unsigned_t<Signed>>(value));
}

std::int64_t read_integer(StreamedBytes& bytes, int type, std::size_t size) {
  if (type == kDouble) return as_integer(std::bit_cast<double>(bytes.number<std::uint64_t>()));
  if (type == kFloat) return as_integer(std::bit_cast<float>(bytes.number<std::uint32_t>()));
  const bool is_signed = type <= kCounter || type == kLong64;
  if (size == 1) return read_sized<std::int8_t>(bytes, is_signed);
  if (size == 2) return read_sized<std::int16_t>(bytes, is_signed);
  if (size == 4) return read_sized<std::int32_t>(bytes, is_signed);
  return bytes.number<std::int64_t>();
}

}  // namespace

std::size_t basic_size(int type) {
  switch (type) {
    case kChar:
    case kUnsignedChar:
    case kBool:
      return 1;
    case kShort:
    case kUnsignedShort:
      return 2;
    case kInt:
    case kFloat:
    case kCounter:
    case kUnsignedInt:
    case kBits:
      return 4;
    case kLong:
    case kDouble:
    case kUnsignedLong:
    case kLong64:
    case kUnsignedLong64:
      return 8;
    default:
      return 0;
  }
}

std::int64_t MemberValues::integer(Member member, std::int64_t missing) const {
  const MemberPlaces::Place& place = (*places_)[member];
  if (!place.is_present || place.type < 0) return missing;
  StreamedBytes bytes = object_.part(place.begin, place.end);
  return read_integer(bytes, place.type, place.item_size);
}

std::int64_t MemberValues::integer_or_zero(Member member) const {
  const int type = (*places_)[member].type;
  return type == kDouble || type == kFloat ? 0 : integer(member);
}

std::string_view MemberValues::text(Member member) const {
  const MemberPlaces::Place& place = (*places_)[member];
  if (!place.is_present || place.type >= 0) return {};
  return object_.part(place.begin, place.end).text();
}

std::size_t MemberValues::array_size(Member member) const {
  const MemberPlaces::Place& place = (*places_)[member];
  return place.item_size == 0 ? 0 : (place.end - place.begin) / place.item_size;
}

std::int64_t MemberValues::array_item(Member member, std::size_t index) const {
  const MemberPlaces::Place& place = (*places_)[member];
  const std::size_t begin = place.begin + index * place.item_size;
  StreamedBytes bytes = object_.part(begin, begin + place.item_size);
  return read_integer(bytes, place.type, place.item_size);
}

StreamedBytes MemberValues::bytes(Member member) const {
  const MemberPlaces::Place& place = (*places_)[member];
  return object_.part(place.begin, place.end);
}

// What to do with one member.
struct ClassWalk::Step {
  enum class Kind {
    kBytes,
    kCounter,
    kTObject,
    kText,
    kChars,
    kCounted,
    kNumbers,
    kBase,
    kSized,
    kPointer,
    kRest
  };

  Kind kind = Kind::kRest;
  Member member = Member::kNone;
  int type = -1;
  std::size_t size = 0;       // of all bytes, or of one item
  std::uint32_t counter = 0;  // which count it keeps or needs
  Plans* plans = nullptr;
};

struct ClassWalk::Plan {
  std::vector<Step> steps;
  std::uint32_t num_counters = 0;
  bool is_known = false;
};

ClassWalk::ClassWalk(const ClassLayouts& of_file, const ClassLayouts& built_in)
    : of_file_(of_file), built_in_(built_in) {}
ClassWalk::~ClassWalk() = default;

ClassWalk::Plans& ClassWalk::plans_of(std::string_view class_name) {
  const auto found = plans_.find(class_name);
  if (found != plans_.end()) return *found->second;
  if (plans_.size() >= kMaxPlans) throw FormatError("too many classes in one object");
  auto made = std::make_unique<Plans>();
  made->name = class_name;
  return *plans_.emplace(std::string(class_name), std::move(made)).first->second;
}

const ClassWalk::Plan& ClassWalk::plan(Plans& plans, const StreamedObject& object) {
  const PlanKey key{object.version, object.checksum};
  const auto found = plans.by_version.find(key);
  if (found != plans.by_version.end()) return *found->second;
  if (num_plans_++ >= kMaxPlans) throw FormatError("too many classes in one object");
  const auto find = [&](const ClassLayouts& layouts) {
    return object.checksum != 0 ? layouts.find_checksum(plans.name, object.checksum)
                                : layouts.find(plans.name, object.version);
  };
  const ClassLayout* layout = find(of_file_);
  if (layout == nullptr) layout = find(built_in_);
  auto made = std::make_unique<Plan>();
  if (layout != nullptr) *made = make_plan(*layout);
  return *plans.by_version.emplace(key, std::move(made)).first->second;
}

ClassWalk::Step ClassWalk::make_step(const ClassMember& member) {
  using Kind = Step::Kind;
  Step step;
  step.member = member_called(member.name);
  const int type = member.type;
  const std::string_view class_name =
      std::string_view(member.type_name).substr(0, member.type_name.find('*'));
  if (member.element_class == "TStreamerBase") {
    step.kind = member.name == "TObject" ? Kind::kTObject : Kind::kBase;
    step.size = numbers_size(member.name);
    if (step.size != 0) step.kind = Kind::kNumbers;
    if (step.kind == Kind::kBase) step.plans = &plans_of(member.name);
    step.member = Member::kNone;
    return step;
  }
  if (member.element_class.starts_with("TStreamerSTL")) {
    step.kind = Kind::kSized;
    return step;
  }
  if (type == kBits) {
    step.kind = Kind::kRest;  // only TObject has it
  } else if (basic_size(type) != 0) {
    step.kind = Kind::kBytes;
    step.type = type;
    step.size = basic_size(type);
  } else if (type == kCharStar) {
    step.kind = Kind::kChars;
  } else if (type > kFixedArray && type < kPointerArray && basic_size(type - kFixedArray) != 0) {
    const std::size_t item_size = basic_size(type - kFixedArray);
    step.kind = Kind::kBytes;
    step.member = Member::kNone;
    step.size = member.array_length > SIZE_MAX / item_size ? SIZE_MAX : member.array_length * item_size;
  } else if (type > kPointerArray && type < kBehindNumbers && basic_size(type - kPointerArray) != 0) {
    step.kind = Kind::kCounted;
    step.type = type - kPointerArray;
    step.size = basic_size(step.type);
  } else if (type == kString) {
    step.kind = Kind::kText;
  } else if (type == kPointer || type == kAnyPointer) {
    step.kind = Kind::kPointer;
  } else if (numbers_size(class_name) != 0) {
    step.kind = Kind::kNumbers;
    step.size = numbers_size(class_name);
  } else if (class_name == "TObject") {
    step.kind = Kind::kTObject;
  } else if (type == kObject || type == kAny || type == kOwnedPointer || type == kNamedBase ||
             type == kAnyOwnedPointer || type == kObjectBase) {
    step.kind = Kind::kSized;
  }
  return step;
}

// Lets the step with the number of an array's items keep it for that array.
bool ClassWalk::find_counter(const std::map<std::string_view, std::size_t>& integers, std::string_view name,
                             Plan& plan, Step& array) {
  const auto found = integers.find(name);
  if (found == integers.end()) return false;
  Step& counter = plan.steps[found->second];
  if (counter.kind != Step::Kind::kCounter && plan.num_counters == kMaxCounters) return false;
  if (counter.kind != Step::Kind::kCounter) counter.counter = plan.num_counters++;
  counter.kind = Step::Kind::kCounter;
  array.counter = counter.counter;
  return true;
}

// Steps that take no bytes are left out, so that the time for an object is bounded by its size.
ClassWalk::Plan ClassWalk::make_plan(const ClassLayout& layout) {
  Plan plan;
  plan.is_known = true;
  std::map<std::string_view, std::size_t> integers;  // numbers of the steps
  for (const ClassMember& member : layout.members) {
    Step step = make_step(member);
    if (step.member == Member::kBasketSeek && layout.version <= kLastFlaggedVersion) {
      step.type = kInt;
      step.size = basic_size(step.type);
    }
    if (step.kind == Step::Kind::kBytes && step.size == 0) continue;
    if (step.kind == Step::Kind::kCounted && !find_counter(integers, member.count_name, plan, step))
      step = Step{};
    if (step.kind == Step::Kind::kBytes && step.type >= 0) integers.emplace(member.name, plan.steps.size());
    plan.steps.push_back(step);
    if (step.kind == Step::Kind::kRest) break;
  }
  return plan;
}

void ClassWalk::walk(Plans& plans, StreamedObject& object, MemberPlaces& places, int depth) {
  if (depth > kMaxBaseDepth) throw FormatError("classes whose bases contain each other");
  const Plan& plan = this->plan(plans, object);
  StreamedBytes& bytes = object.bytes;
  Counts counts{};
  bool is_complete = plan.is_known;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::kRest) {
      is_complete = false;
    } else if (step.kind == Step::Kind::kBase) {
      const std::size_t begin = bytes.position();
      StreamedObject base = bytes.object();
      if (base.has_size) places.add_base({begin, bytes.position()});
      walk(*step.plans, base, places, depth + 1);
      if (!base.has_size) bytes.continue_after(base.bytes);
    } else {
      take(step, bytes, places[step.member], counts);
    }
  }
  if (!is_complete && !object.has_size)
    throw FormatError("class " + plans.name + " in version " + std::to_string(object.version) +
                      " is not described in the file");
  if (object.has_size) bytes.skip(bytes.remaining());
}

void ClassWalk::take(const Step& step, StreamedBytes& bytes, MemberPlaces::Place& place, Counts& counts) {
  using Kind = Step::Kind;
  MemberPlaces::Place taken;
  taken.begin = bytes.position();
  taken.is_present = true;
  taken.type = step.type;
  taken.item_size = step.size;
  switch (step.kind) {
    case Kind::kBytes:
      bytes.skip(step.size);
      break;
    case Kind::kCounter: {
      StreamedBytes counter = bytes;
      counts[step.counter] = read_integer(counter, step.type, step.size);
      bytes.skip(step.size);
      break;
    }
    case Kind::kTObject:
      bytes.skip_tobject();
      break;
    case Kind::kText:
      bytes.text();
      break;
    case Kind::kChars:
      bytes.skip(bytes.number<std::uint32_t>());
      break;
    case Kind::kCounted:
      take_array(step, bytes, taken, counts[step.counter]);
      break;
    case Kind::kNumbers:
      bytes.skip(bytes.number<std::uint32_t>() * std::uint64_t{step.size});
      break;
    case Kind::kSized:
      if (!bytes.object().has_size) throw FormatError("an object without a byte count");
      break;
    case Kind::kPointer:
      bytes.pointer();
      break;
    case Kind::kBase:
    case Kind::kRest:
      break;
  }
  taken.end = bytes.position();
  place = taken;
}

// A flag comes first: whether the pointer is null. For the positions of baskets it says too, in old files,
// whether they have 8 bytes.
void ClassWalk::take_array(const Step& step, StreamedBytes& bytes, MemberPlaces::Place& place,
                           std::int64_t count) {
  const auto flag = bytes.number<std::uint8_t>();
  if (flag == kLongPositions && step.member == Member::kBasketSeek) {
    place.type = kLong64;
    place.item_size = sizeof(std::int64_t);
  }
  place.begin = bytes.position();
  if (flag == 0) return;
  if (count < 0 || static_cast<std::uint64_t>(count) > bytes.remaining() / place.item_size)
    throw FormatError("an array that is longer than the bytes it lies in");
  bytes.skip(static_cast<std::uint64_t>(count) * place.item_size);
}

bool ClassWalk::walk(std::string_view class_name, StreamedObject object, MemberPlaces& places) {
  Plans& plans = plans_of(class_name);
  const bool is_known = plan(plans, object).is_known;
  walk(plans, object, places, 0);
  return is_known;
}

}  // namespace skimline::io
