// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cgroup.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/system/text_file.h"

namespace futex_bench {
namespace {

/// A mounted cgroup hierarchy, from a line of mountinfo (proc(5)).
struct Mount {
  std::string root;  ///< the group that is visible at `point`
  std::string point;
  bool version2 = false;
  std::string options;  ///< of the file system; v1: has the names of the controllers
};

/// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lists(std::string_view comma_list, std::string_view name) {
  const std::vector<std::string_view> names = split(comma_list, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Mount> parse_mount(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  const std::string_view type = dash[1];
  if (type != "cgroup" && type != "cgroup2") return std::nullopt;
  return Mount{unescape(fields[3]), unescape(fields[4]), type == "cgroup2", std::string(dash[3])};
}

/// The group's path in a hierarchy and whether that is the v2 one.
struct Membership {
  std::string path;
  bool version2 = false;
};

/// Lines are "ID:CONTROLLERS:PATH"; v2 has no controllers there and the id 0.
std::optional<Membership> find_membership(std::string_view file, std::string_view controller) {
  std::optional<Membership> found;
  for (const std::string_view line : split(file, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    // A controller belongs to one hierarchy only; a v1 line that has it rules out v2.
    if (lists(controllers, controller)) return Membership{std::move(path), false};
    if (controllers.empty()) found = Membership{std::move(path), true};
  }
  return found;
}

/// `path` as seen from the group `top`: "" for top itself, "/a" for its child a. Nothing if it is
/// not below it.
std::optional<std::string> relative(const std::string& path, const std::string& top) {
  if (path.find("/..") != std::string::npos) return std::nullopt;
  if (top == "/") return path == "/" ? "" : path;
  if (path == top) return "";
  if (path.starts_with(top + "/")) return path.substr(top.size());
  return std::nullopt;
}

bool is_directory(const std::string& root, const std::string& path) {
  struct stat status {};
  return stat(below(root, path).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// The number after `name` in a file of lines "name number".
std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.substr(0, space) != name) continue;
    const std::optional<std::int64_t> number = to_number(line.substr(space + 1));
    if (number && *number >= 0) return static_cast<std::uint64_t>(*number);
  }
  return std::nullopt;
}

std::optional<CpuQuota> read_quota(const std::string& root, const std::string& directory,
                                   int version) {
  std::optional<std::int64_t> quota;
  std::optional<std::int64_t> period;
  if (version == 2) {
    const FileText file = read_text(root, directory + "/cpu.max");
    if (!file.text) return std::nullopt;
    const std::size_t space = file.text->find(' ');
    if (space == std::string::npos) return std::nullopt;
    quota = to_number(std::string_view(*file.text).substr(0, space));  // nothing for "max"
    period = to_number(std::string_view(*file.text).substr(space + 1));
  } else {
    quota = read_number(root, directory + "/cpu.cfs_quota_us");  // -1 for no limit
    period = read_number(root, directory + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota < 0 || *period <= 0) return std::nullopt;
  return CpuQuota{*quota, *period, directory};
}

std::optional<Throttling> read_throttling(const std::string& root, const std::string& directory,
                                          int version) {
  const FileText file = read_text(root, directory + "/cpu.stat");
  if (!file.text) return std::nullopt;
  const std::optional<std::uint64_t> periods = keyed_number(*file.text, "nr_throttled");
  const std::optional<std::uint64_t> time =
      keyed_number(*file.text, version == 2 ? "throttled_usec" : "throttled_time");
  if (!periods || !time) return std::nullopt;
  return Throttling{*periods, version == 2 ? *time : *time / 1000};  // v1 counts nanoseconds
}

}  // namespace

CgroupPath find_cgroup(const std::string& root, const std::string& controller) {
  const FileText memberships = read_text(root, "/proc/self/cgroup");
  if (!memberships.text) return {0, {}, memberships.reason};
  const std::optional<Membership> membership = find_membership(*memberships.text, controller);
  if (!membership) return {0, {}, "no cgroup hierarchy has the controller " + controller};
  const int version = membership->version2 ? 2 : 1;
  const FileText mounts = read_text(root, "/proc/self/mountinfo");
  if (!mounts.text) return {version, {}, mounts.reason};

  for (const std::string_view line : split(*mounts.text, '\n')) {
    const std::optional<Mount> mount = parse_mount(line);
    if (!mount || mount->version2 != membership->version2) continue;
    if (!mount->version2 && !lists(mount->options, controller)) continue;
    std::optional<std::string> rest = relative(membership->path, mount->root);
    if (!rest || !is_directory(root, mount->point + *rest)) continue;
    CgroupPath path{version, {mount->point + *rest}, ""};
    while (!rest->empty()) {
      rest->resize(rest->rfind('/'));
      path.directories.push_back(mount->point + *rest);
    }
    return path;
  }
  return {version, {}, "cgroup " + membership->path + " is not visible in any mount"};
}

CgroupCpu read_cgroup_cpu(const std::string& root) {
  const CgroupPath path = find_cgroup(root, "cpu");
  CgroupCpu result;
  result.reason = path.reason;
  for (const std::string& directory : path.directories) {
    std::optional<CpuQuota> quota = read_quota(root, directory, path.version);
    if (quota && (!result.quota || quota->cpus() < result.quota->cpus())) {
      result.quota = std::move(quota);
    }
    if (const auto throttling = read_throttling(root, directory, path.version)) {
      const Throttling sum = result.throttling.value_or(Throttling{});
      result.throttling = {sum.periods + throttling->periods, sum.time_us + throttling->time_us};
    }
  }
  return result;
}

CgroupPids read_cgroup_pids(const std::string& root) {
  const CgroupPath path = find_cgroup(root, "pids");
  CgroupPids result;
  result.reason = path.reason;
  const auto room = [](const PidsLimit& limit) {
    return limit.max > limit.current ? limit.max - limit.current : 0;
  };
  for (const std::string& directory : path.directories) {
    const std::optional<std::int64_t> max = read_number(root, directory + "/pids.max");
    if (!max || *max < 0) continue;  // "max", or the root group, which has no limit
    const std::int64_t current = read_number(root, directory + "/pids.current").value_or(0);
    PidsLimit limit{static_cast<std::uint64_t>(*max),
                    static_cast<std::uint64_t>(std::max<std::int64_t>(current, 0)), directory};
    if (!result.limit || room(limit) < room(*result.limit)) result.limit = std::move(limit);
  }
  return result;
}

CgroupCpuset read_cgroup_cpuset(const std::string& root) {
  const CgroupPath path = find_cgroup(root, "cpuset");
  if (path.directories.empty()) return {std::nullopt, path.reason};
  // A v2 group has the file only if the controller is enabled for it; else the group above rules.
  const std::string name = path.version == 2 ? "/cpuset.cpus.effective" : "/cpuset.cpus";
  for (const std::string& directory : path.directories) {
    const FileText file = read_text(root, directory + name);
    if (file.text) return {file.text, ""};
  }
  return {std::nullopt, "no group from " + path.directories.front() + " up has " + name.substr(1)};
}

}  // namespace futex_bench
