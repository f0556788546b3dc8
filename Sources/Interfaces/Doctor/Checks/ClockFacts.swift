public import SystemClock

/// How a machine keeps its clocks.
public struct ClockFacts: Hashable, Sendable {
    /// Whether a program keeps the wall clock in step with others; nil if the kernel does not tell.
    public var isSynchronized: Bool?
    /// The running programs that may set a clock.
    public var services: Set<ClockProgram>
    /// For how long the machine slept since its start.
    public var slept: Duration
    /// Whether it can sleep: its target is not masked.
    public var maySleep: Bool

    public init(isSynchronized: Bool?, services: Set<ClockProgram>, slept: Duration = .zero, maySleep: Bool = true) {
        self.isSynchronized = isSynchronized
        self.services = services
        self.slept = slept
        self.maySleep = maySleep
    }
}

extension ClockFacts {
    public static let checks: [Check<ClockFacts>] = [
        { $0.synchronization }, { CheckOutcome($0.contention) }, { $0.ptp }, { CheckOutcome($0.sleep) },
    ]

    private static let subject = "clock"
    private var setters: [ClockProgram] { ClockProgram.allCases.filter { services.contains($0) && $0.setsWallClock } }

    private var synchronization: CheckOutcome {
        guard let isSynchronized else { return .unknown }
        guard !isSynchronized else { return .fine }
        let reason = "the wall clock is not synchronized, so the dates of pictures may be wrong"
        if let setter = setters.first {
            return .found(
                .warning(
                    .clockUnsynchronized, Self.subject,
                    "\(reason); \(setter.rawValue) runs and does not reach its servers",
                    fix: setter.question))
        }
        return .found(
            .warning(
                .clockUnsynchronized, Self.subject, "\(reason); no program sets it",
                fix: "apt install systemd-timesyncd && timedatectl set-ntp true"))
    }

    private var contention: Finding? {
        guard setters.count > 1 else { return nil }
        return .warning(
            .clockContended, Self.subject,
            "\(setters.map(\.rawValue).joined(separator: " and ")) both set the wall clock, which then jumps",
            fix: "systemctl disable --now \(setters[0].unit)")
    }

    /// With PTP, the wall clock follows the network card's clock only if phc2sys or chrony makes it.
    private var ptp: CheckOutcome {
        guard services.contains(.ptp) else { return .unknown }
        guard setters.isEmpty else { return .fine }
        return .found(
            .warning(
                .ptpUnused, Self.subject, "ptp4l runs, and nothing makes the wall clock follow it",
                fix: "systemctl enable --now phc2sys@INTERFACE, with ptp4l's interface (`ip -br link`)"))
    }

    private var sleep: Finding? {
        guard slept >= .seconds(1), maySleep else { return nil }
        return .warning(
            .machineSlept, "machine",
            "it slept for \(slept.wholeSeconds) since its start; while it sleeps, its cameras stop",
            fix: "systemctl mask sleep.target suspend.target hibernate.target hybrid-sleep.target")
    }
}

extension ClockProgram {
    /// Its unit in Debian.
    fileprivate var unit: String {
        self == .timesyncd ? "systemd-timesyncd" : self == .chrony ? "chrony" : rawValue
    }

    /// Shows what it does.
    fileprivate var question: String {
        switch self {
        case .chrony: "chronyc sources -v"
        case .timesyncd: "timedatectl timesync-status"
        case .ntp, .ntpsec: "ntpq -p"
        case .openntpd: "ntpctl -s all"
        case .ptp, .phc2sys: "journalctl -u '\(unit)*' -n 50"
        }
    }
}

extension Duration {
    /// Without a fraction: `75 s`.
    fileprivate var wholeSeconds: String { "\(components.seconds) s" }
}
