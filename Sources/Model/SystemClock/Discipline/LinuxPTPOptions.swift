/// The options of a program of linuxptp, in their order (`getopt_long(3)`).
struct LinuxPTPOptions: Sendable {
    struct Option: Hashable, Sendable {
        /// One letter, or the name of a long option.
        var name: String
        var value: String?
    }

    let all: [Option]

    /// - Parameters:
    ///   - arguments: With the program itself at first.
    ///   - letters: The options of one letter that a value follows. One follows every long option.
    init(_ arguments: [String], withValue letters: Set<Character>) {
        var options: [Option] = []
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--") {
                let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
                guard let name = parts.first else { continue }
                let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
                options.append(Option(name: String(name), value: value))
            } else if argument.hasPrefix("-") {
                options += Self.read(argument.dropFirst(), withValue: letters, &rest)
            }
        }
        all = options
    }

    /// Reads the letters after one dash, of which the last may have a value, joined to it or as the next argument.
    private static func read(
        _ word: Substring, withValue letters: Set<Character>, _ rest: inout ArraySlice<String>
    ) -> [Option] {
        var options: [Option] = []
        for (index, letter) in zip(word.indices, word) {
            guard letters.contains(letter) else {
                options.append(Option(name: String(letter)))
                continue
            }
            let joined = word[word.index(after: index)...]
            options.append(Option(name: String(letter), value: joined.isEmpty ? rest.popFirst() : String(joined)))
            return options
        }
        return options
    }
}
