/// What `ptp4l` says of itself, as `pmc` of linuxptp prints it (`pmc.c` of 3.1 and 4).
struct PTPStatus: Hashable, Sendable {
    /// The identity of the clock itself, and of its grandmaster: `7acc9b.fffe.1234ab`.
    var clock: String
    var grandmaster: String
    /// Whether messages of another clock that is the grandmaster arrive.
    var isGrandmasterPresent: Bool
    /// Of each port, such as `SLAVE`.
    var portStates: [String]
    /// The number of clocks on the way from the grandmaster, 0 of the grandmaster itself.
    var stepsRemoved: Int
    /// How far the clock was from its master at the last measurement, nanoseconds.
    var offset: Double
    /// The longest delay to a neighbor, nanoseconds.
    var pathDelay: Double
    /// When the message of that measurement came, nanoseconds on the clock that `ptp4l` stamps with.
    var ingress: Int64?

    /// What `pmc` is asked for.
    static let questions = [
        "GET DEFAULT_DATA_SET", "GET CURRENT_DATA_SET", "GET TIME_STATUS_NP", "GET PORT_DATA_SET",
    ]
    /// The identity of a grandmaster that is not known yet.
    private static let nobody = "000000.0000.000000"

    /// Whether the clock follows another one, and has been since before the last measurement.
    var isFollower: Bool {
        portStates.contains("SLAVE") && isGrandmasterPresent && stepsRemoved >= 1 && grandmaster != clock
            && grandmaster != Self.nobody
    }

    /// Whether the others follow this clock.
    var isGrandmaster: Bool {
        grandmaster == clock && portStates.contains { $0 == "MASTER" || $0 == "GRAND_MASTER" }
            && !portStates.contains { $0 == "SLAVE" || $0 == "UNCALIBRATED" }
    }
}

extension PTPStatus {
    /// Reads what `pmc` has written.
    /// - Returns: nil if an answer is missing, or is not one.
    init?(_ lines: [Substring]) {
        var answers: [String: [[Substring: Substring]]] = [:]
        var name = ""
        for line in lines {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.contains("RESPONSE") {
                // Anything else is an error.
                name = words.contains("MANAGEMENT") ? String(words.last ?? "") : ""
                answers[name, default: []].append([:])
            } else if words.count == 2, let last = answers[name]?.indices.last {
                answers[name]?[last][words[0]] = words[1]
            }
        }
        guard let own = answers["DEFAULT_DATA_SET"]?.onlyElement?["clockIdentity"],
            let current = answers["CURRENT_DATA_SET"]?.onlyElement, let time = answers["TIME_STATUS_NP"]?.onlyElement,
            let ports = answers["PORT_DATA_SET"]
        else { return nil }
        guard let grandmaster = time["gmIdentity"], let isPresent = time["gmPresent"],
            let steps = current["stepsRemoved"].flatMap({ Int($0) }),
            let offset = current["offsetFromMaster"].flatMap(Self.nanoseconds),
            let delay = current["meanPathDelay"].flatMap(Self.nanoseconds),
            let ingress = time["ingress_time"].flatMap({ Int64($0) })
        else { return nil }
        // With the delay mechanism of peers, only ports have a delay.
        let peerDelays = ports.compactMap { $0["peerMeanPathDelay"].flatMap(Self.nanoseconds) }
        self.init(
            clock: String(own), grandmaster: String(grandmaster), isGrandmasterPresent: isPresent == "true",
            portStates: ports.compactMap { $0["portState"].map(String.init) }, stepsRemoved: steps, offset: offset,
            pathDelay: peerDelays.reduce(delay, max), ingress: ingress)
    }

    /// Of at most an hour, beyond which nothing is in step.
    private static func nanoseconds(_ text: Substring) -> Double? {
        Double(text).flatMap { $0.magnitude <= 3.6e12 ? $0 : nil }
    }
}

extension Array {
    fileprivate var onlyElement: Element? { count == 1 ? first : nil }
}
