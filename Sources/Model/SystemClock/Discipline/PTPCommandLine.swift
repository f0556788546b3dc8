/// Where `ptp4l` takes its time stamps, by its command line (`ptp4l.8`) and its configuration.
struct PTPCommandLine: Hashable, Sendable {
    /// `software`, `hardware` or another word of `time_stamping`; nil if the command line does not say it.
    private(set) var stamping: String?
    /// The path of its configuration.
    private(set) var configuration: String?

    /// The options of one letter that a value follows.
    private static let withValue: Set<Character> = ["f", "i", "p", "l"]
    private static let key = "time_stamping"

    /// - Parameter arguments: With the program itself at first.
    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--") {
                let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
                guard parts.first == Self.key[...] else { continue }
                stamping = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            } else if argument.hasPrefix("-") {
                readLetters(argument.dropFirst(), &rest)
            }
        }
    }

    private mutating func readLetters(_ letters: Substring, _ rest: inout ArraySlice<String>) {
        for (index, letter) in zip(letters.indices, letters) {
            switch letter {
            case "S": stamping = "software"
            case "H": stamping = "hardware"
            case "L": stamping = "legacy"
            case let letter where Self.withValue.contains(letter):
                let joined = letters[letters.index(after: index)...]
                let value = joined.isEmpty ? rest.popFirst() : String(joined)
                if letter == "f" { configuration = value }
                return
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
