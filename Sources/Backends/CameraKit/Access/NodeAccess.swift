import CaptureModel
import Glibc
import PosixSupport

/// Whether this process may open a device node, and what to do where it may not. Pure: ``FileAccess`` asked the kernel.
///
/// | the kernel says | status | because |
/// |---|---|---|
/// | yes | authorized | |
/// | `EACCES`, mode and groups forbid it | denied | the group of the node, or a udev rule, grants it |
/// | `EACCES`, mode and groups would allow it | denied | an ACL, AppArmor or SELinux; a process cannot tell which |
/// | `EPERM` | restricted | permissions allow it, but the device list of the process's control group does not: systemd's `DevicePolicy=` or a container's. From inside they look the same |
/// | `ENOENT`, `ENODEV`, `ENXIO` | notDetermined | there is nothing to look at |
struct NodeAccess: Hashable, Sendable {
    var status: AuthorizationStatus
    /// A sentence: why not, and what to do; nil where it is authorized.
    var remedy: String?

    init(_ status: AuthorizationStatus, remedy: String?) {
        self.status = status
        self.remedy = remedy
    }

    /// Looks at a node; may block on the system's user database.
    init(path: String, subsystem: Subsystem = .video) {
        self.init(FileAccess(path: path), path: path, subsystem: subsystem)
    }

    init(_ access: FileAccess, path: String, subsystem: Subsystem = .video) {
        switch access.refusal?.code {
        case nil:
            status = .authorized
        case EPERM:
            status = .restricted
            remedy = Self.policy(path, subsystem)
        case EACCES:
            status = .denied
            remedy = Self.permissions(path, access.ownership, subsystem)
        case ENOENT, ENODEV, ENXIO, ENOTDIR:
            status = .notDetermined
            remedy =
                "there is no \(path): plug the \(subsystem.device) in, or correct its identity in the configuration"
        default:
            status = .denied
            remedy = access.refusal?.description
        }
    }

    /// What kernel and udev call a kind of device.
    enum Subsystem: String {
        case video = "video4linux"
        case sound

        /// What people call it.
        var device: String { self == .video ? "camera" : "microphone" }
        /// As systemd's `DeviceAllow=` takes it.
        var deviceClass: String { self == .video ? "char-video4linux" : "char-alsa" }
        /// The rule that gives every such device to the group that Debian has for it.
        var rule: String {
            "`SUBSYSTEM==\"\(rawValue)\", GROUP=\"\(self == .video ? "video" : "audio")\", MODE=\"0660\"`"
        }
    }

    private static func policy(_ path: String, _ subsystem: Subsystem) -> String {
        "the permissions of \(path) allow it, but the device list of this process's control group does not: "
            + "add `DeviceAllow=\(subsystem.deviceClass) rw` to its systemd unit, or start its container with "
            + "`--device \(path)`"
    }

    private static func permissions(
        _ path: String, _ ownership: FileAccess.Ownership?, _ subsystem: Subsystem
    ) -> String {
        guard let ownership else { return "a folder on the way to \(path) may not be searched by this process" }
        let group = ownership.groupName ?? "number \(ownership.group)"
        guard ownership.group != 0, ownership.groupMayUse else {
            return
                "\(path) belongs to group '\(group)' with mode \(octal(ownership.permissions)), so there is no group "
                + "to join: put the udev rule \(subsystem.rule) into /etc/udev/rules.d/70-caprig.rules, run "
                + "`udevadm control --reload` and `udevadm trigger --subsystem-match=\(subsystem.rawValue)`, and add "
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
