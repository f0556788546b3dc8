/// Where `ptp4l` takes its time stamps, by its command line (`ptp4l.8`) and its configuration.
struct PTPCommandLine: Hashable, Sendable {
    /// `software`, `hardware` or another word of `time_stamping`; nil if the command line does not say it.
    private(set) var stamping: String?
    /// The path of its configuration.
    private(set) var configuration: String?

    private static let key = "time_stamping"

    /// - Parameter arguments: With the program itself at first.
    init(_ arguments: [String]) {
        for option in LinuxPTPOptions(arguments, withValue: ["f", "i", "p", "l"]).all {
            switch option.name {
            case "S": stamping = "software"
            case "H": stamping = "hardware"
            case "L": stamping = "legacy"
            case "f": configuration = option.value
            case Self.key: stamping = option.value
            default: continue
            }
        }
    }

    /// Whether it sets `CLOCK_REALTIME` itself, and not the clock of a network card. What is not known is taken for a
    /// card.
    /// - Parameter text: That of the configuration; nil if it cannot be read.
    func isInSoftware(configuration text: String?) -> Bool {
        guard stamping == nil else { return stamping == "software" }
        let lines = (text ?? "").split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
        return lines.last { $0.first == Self.key[...] }?.dropFirst().first == "software"
    }
}
