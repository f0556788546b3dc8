package import CaptureModel
import FoundationEssentials
import Glibc
package import PosixSupport

/// Whether this process may open a device node, and what to do if it may not. Pure: ``FileAccess`` asked the kernel.
///
/// | the kernel says | status | reason |
/// |---|---|---|
/// | yes | authorized | |
/// | `EACCES`, mode and groups forbid it | denied | the group of the node, or a udev rule, grants it |
/// | `EACCES`, mode and groups would allow it | denied | an ACL, AppArmor or SELinux; a process cannot tell which |
/// | `EPERM` | restricted | permissions allow it, but the device list of the process's control group does not |
/// | `ENOENT`, `ENODEV`, `ENXIO` | notDetermined | there is no node to check |
///
/// The device list is systemd's `DevicePolicy=` or a container's. From inside they look the same.
package struct NodeAccess: Hashable, Sendable {
    package var status: AuthorizationStatus
    /// A sentence with the reason and the remedy; nil if it is authorized.
    package var remedy: String?

    package init(_ status: AuthorizationStatus, remedy: String?) {
        self.status = status
        self.remedy = remedy
    }

    /// Checks a node. May block on the system's user database.
    package init(path: String, _ kind: DeviceClass) {
        self.init(FileAccess(path: path), path: path, kind)
    }

    package init(_ access: FileAccess, path: String, _ kind: DeviceClass) {
        switch access.refusal?.code {
        case nil:
            status = .authorized
        case EPERM:
            status = .restricted
            remedy = Self.policy(path, kind)
        case EACCES:
            status = .denied
            remedy = Self.permissions(path, access.ownership, kind)
        case ENOENT, ENODEV, ENXIO, ENOTDIR:
            status = .notDetermined
            remedy =
                "there is no \(path): plug the \(kind.noun) in, or correct its identity in the configuration"
        default:
            status = .denied
            remedy = access.refusal?.description
        }
    }

    /// The names of a kind of device for the kernel, udev and people.
    package struct DeviceClass: Hashable, Sendable {
        /// The value for udev's `SUBSYSTEM==`.
        let subsystem: String
        /// The value for systemd's `DeviceAllow=`.
        let controlGroupClass: String
        /// The group that owns such devices in Debian.
        let group: String
        /// The noun for people: `camera`.
        let noun: String

        package init(subsystem: String, controlGroupClass: String, group: String, noun: String) {
            self.subsystem = subsystem
            self.controlGroupClass = controlGroupClass
            self.group = group
            self.noun = noun
        }

        /// The udev rule that gives every such device to the group.
        fileprivate var rule: String { "`SUBSYSTEM==\"\(subsystem)\", GROUP=\"\(group)\", MODE=\"0660\"`" }
    }

    private static func policy(_ path: String, _ kind: DeviceClass) -> String {
        "the permissions of \(path) allow it, but the device list of this process's control group does not: "
            + "add `DeviceAllow=\(kind.controlGroupClass) rw` to its systemd unit, or start its container with "
            + "`--device \(path)`"
    }

    private static func permissions(
        _ path: String, _ ownership: FileAccess.Ownership?, _ kind: DeviceClass
    ) -> String {
        guard let ownership else { return "a folder on the way to \(path) may not be searched by this process" }
        let group = ownership.groupName ?? "number \(ownership.group)"
        guard ownership.group != 0, ownership.groupMayUse else {
            return
                "\(path) belongs to group '\(group)' with mode \(octal(ownership.permissions)), so there is no group "
                + "to join: put the udev rule \(kind.rule) into /etc/udev/rules.d/70-caprig.rules, run "
                + "`udevadm control --reload` and `udevadm trigger --subsystem-match=\(kind.subsystem)`, and add "
                + "the user to that group"
        }
        if ownership.isInGroup {
            return
                "mode and group '\(group)' of \(path) would allow it: an ACL (`getfacl \(path)`) or a security module "
                + "such as AppArmor (`dmesg`) forbids it"
        }
        return "\(path) belongs to group '\(group)', which this process is not in: `usermod -aG \(group) USER`, or "
            + "`SupplementaryGroups=\(group)` in its systemd unit, and start it again"
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}

/// Calls that may wait for hardware or a database, outside Swift's cooperative pool.
package enum BlockingCall {
    /// Calls `body` on a separate thread and returns its result.
    /// - Throws: ``PosixError`` if no thread can be created.
    package static func run<Result: Sendable>(
        thread name: String, _ body: @escaping @Sendable () -> Result
    ) async throws(PosixError) -> Result {
        let outcome = await withCheckedContinuation { answer in
            do throws(PosixError) {
                try NamedThread(name: name) {
                    answer.resume(returning: Swift.Result<Result, PosixError>.success(body()))
                }
                .detach()
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
        return try outcome.get()
    }
}

/// Reads the small text files and links of sysfs.
package enum SystemFolder {
    /// Returns the names in a folder; none if it cannot be read.
    package static func entries(of path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Returns the text of a file without surrounding white space; nil if there is none.
    package static func text(of path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        let trimmed = text.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }
        return end.map { String(trimmed[...$0]) }
    }

    /// Returns the path with links resolved; nil if it does not exist.
    package static func resolved(_ path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return URL(filePath: path).resolvingSymlinksInPath().path
    }
}
