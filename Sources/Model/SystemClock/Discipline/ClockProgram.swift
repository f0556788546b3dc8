public import PosixSupport

/// A program that sets clocks, by the kernel's name of its process.
public enum ClockProgram: String, Hashable, Sendable, CaseIterable {
    case chrony = "chronyd"
    case ntp = "ntpd"
    case ntpsec
    case openntpd
    case timesyncd = "systemd-timesyn"
    case ptp = "ptp4l"
    case phc2sys

    /// Whether it sets the wall clock. `ptp4l` sets the clock of a network card, unless it stamps in software.
    public var setsWallClock: Bool { self != .ptp }

    /// Returns those that run, as far as this user may see them.
    public static func running() -> [ClockProgram: [RunningProcess]] {
        var found: [ClockProgram: [RunningProcess]] = [:]
        for process in RunningProcess.all() {
            if let program = ClockProgram(rawValue: process.name) { found[program, default: []].append(process) }
        }
        return found
    }
}
