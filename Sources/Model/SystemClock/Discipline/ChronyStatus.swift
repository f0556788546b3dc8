/// What `chronyd` says of itself: the fields of `chronyc -c tracking` (`chronyc.1`, *tracking*; versions 3 and 4).
struct ChronyStatus: Hashable, Sendable {
    /// The reference, as eight hexadecimal digits.
    var reference: String
    var stratum: Int
    /// How far the clock is from where chronyd wants it, seconds.
    var correction: Double
    /// To the source at the root, and back; seconds.
    var rootDelay: Double
    /// The error that has added up on the way there, seconds.
    var rootDispersion: Double
    /// `Normal`, or what is special.
    var leap: String

    /// The reference of a clock that follows nothing (`local` in chrony.conf).
    private static let local = "7F7F0101"

    /// The largest error of the clock against UTC, seconds: the root distance of NTP (RFC 5905, appendix A.5.5.2) and
    /// what is being corrected.
    var bound: Double { correction.magnitude + rootDelay / 2 + rootDispersion }

    /// Whether the clock follows a server that follows UTC.
    ///
    /// A clock of stratum 1 follows a device, such as the clock of a virtual machine's host, whose own error `chronyd`
    /// does not know. A server that follows nothing says stratum 10, unless it is configured otherwise (`local` in
    /// chrony.conf).
    var isInStep: Bool { leap == "Normal" && (2...9).contains(stratum) && reference.uppercased() != Self.local }

    /// Reads what `chronyc` has written.
    /// - Returns: nil if it is not one line with these fields.
    init?(_ lines: [Substring]) {
        guard lines.count == 1 else { return nil }
        let fields = lines[0].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 14, let stratum = Int(fields[2]), let correction = Double(fields[4]),
            let delay = Double(fields[10]), let dispersion = Double(fields[11])
        else { return nil }
        // Beyond an hour nothing is in step.
        let limit = 0.0...3600
        guard [correction.magnitude, delay, dispersion].allSatisfy(limit.contains) else { return nil }
        reference = String(fields[0])
        self.stratum = stratum
        self.correction = correction
        rootDelay = delay
        rootDispersion = dispersion
        leap = String(fields[13])
    }
}
