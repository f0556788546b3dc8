internal import Foundation

/// Runs an agent in a time namespace of its own, in which its monotonic clock is minutes off, so that a shared clock
/// cannot pass for synchronization.
enum TimeShift {
    /// `unshare` of util-linux.
    static let program = "/usr/bin/unshare"

    /// Seconds by which the clock of the node with this index is ahead; different for each, never 0.
    static func seconds(node index: Int) -> Int {
        (index + 1) * 420 + index * index * 13
    }

    /// The arguments of ``program`` that run `command`. `unshare` becomes the command, so signals and pipes reach it.
    static func arguments(node index: Int, command: [String]) -> [String] {
        ["--time", "--monotonic", "\(seconds(node: index))", "--"] + command
    }

    /// - Throws: ``CommandFailure`` where time namespaces cannot be made.
    static func check() throws {
        guard geteuid() == 0 else {
            throw CommandFailure(
                .other, "--time-namespaces needs root, since only root may make time namespaces; use sudo")
        }
        guard FileManager.default.fileExists(atPath: "/proc/self/ns/time_for_children"),
            FileManager.default.isExecutableFile(atPath: program)
        else {
            throw CommandFailure(
                .other, "--time-namespaces needs Linux 5.6 or later and \(program) (package util-linux)")
        }
    }
}
