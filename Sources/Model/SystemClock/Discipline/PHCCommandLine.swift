/// Which clocks `phc2sys` sets, by its command line (`phc2sys.8` and `phc2sys.c` of linuxptp 3.1 and 4).
struct PHCCommandLine: Hashable, Sendable {
    /// Whether it follows the states of the ports of `ptp4l` (`-a`).
    private(set) var isAutomatic = false
    /// How often `-r` is given: once, it sets `CLOCK_REALTIME` too; twice, it also sets cards by `CLOCK_REALTIME`.
    private(set) var realtimeCount = 0
    /// The clocks of `-s` and `-c`: interfaces, devices or names.
    private(set) var sources: [String] = []
    private(set) var sinks: [String] = []
    /// Whether it follows pulses (`-d`).
    private(set) var followsPulses = false
    /// How it sets clocks, if the command line says it.
    private(set) var servo: String?

    private static let realtime = "CLOCK_REALTIME"
    /// The options of one letter that a value follows.
    private static let withValue: Set<Character> = [
        "c", "d", "f", "s", "E", "P", "I", "S", "F", "R", "N", "O", "L", "M", "i", "u", "n", "z", "l", "t",
    ]

    /// - Parameter arguments: With the program itself at first; empty if they are not known.
    init(_ arguments: [String]) {
        for option in LinuxPTPOptions(arguments, withValue: Self.withValue).all {
            switch option.name {
            case "a": isAutomatic = true
            case "r": realtimeCount += 1
            case "s", "i": sources += [option.value].compactMap(\.self)
            case "c": sinks += [option.value].compactMap(\.self)
            case "d": followsPulses = true
            case "E", "clock_servo": servo = option.value?.lowercased()
            default: continue
            }
        }
    }

    /// Why it does not keep `CLOCK_REALTIME` and the clock of the card of `ptp4l` together, for people; nil if it does.
    /// - Parameter isGrandmaster: Whether others follow `ptp4l`. Else `ptp4l` follows another clock.
    func objection(isGrandmaster: Bool) -> String? {
        if let servo, !["pi", "linreg"].contains(servo) { return "phc2sys sets no clock (-E \(servo))" }
        guard !followsPulses else { return "phc2sys follows pulses (-d)" }
        guard isAutomatic else { return manualObjection(isGrandmaster: isGrandmaster) }
        guard realtimeCount >= 1 else { return "phc2sys leaves CLOCK_REALTIME alone (-a without -r)" }
        // Where no port follows, only CLOCK_REALTIME can be the source.
        guard realtimeCount >= 2 || !isGrandmaster else {
            return "phc2sys does not set the card of a grandmaster (-a with one -r)"
        }
        return nil
    }

    private func manualObjection(isGrandmaster: Bool) -> String? {
        guard sources.count == 1, let source = sources.first else { return "phc2sys has no single source (-s)" }
        let setsRealtime = sinks.isEmpty || sinks.contains(Self.realtime)
        if source == Self.realtime {
            guard isGrandmaster else { return "phc2sys does not set CLOCK_REALTIME, but the card by it (-s)" }
            return setsRealtime ? "phc2sys names no card to set (-c)" : nil
        }
        return setsRealtime ? nil : "phc2sys does not set CLOCK_REALTIME (-c)"
    }
}
