/// The text of the page's scripts and styles without what only their readers need: comments that fill lines, indentation, and spaces beside
/// punctuation.
enum PageText {
    /// A language of the page, with the punctuation beside which its spaces mean nothing.
    enum Language: String {
        case script = "js"
        case style = "css"

        fileprivate var punctuation: Set<Character> {
            switch self {
            case .script: ["{", "}", "(", ")", "[", "]", ";", ",", ":", "=", "<", ">", "?", "&", "|", "*"]
            // A space before a colon or a parenthesis separates there.
            case .style: ["{", "}", ";", ",", ">"]
            }
        }

        /// Where texts and regular expressions begin, in which every space counts.
        fileprivate var quotes: Set<Character> {
            switch self {
            case .script: ["'", "\"", "`", "/"]
            case .style: ["'", "\""]
            }
        }
    }

    /// Every line stays, if only empty, so that what a browser says of a line is true of the file. No text literal of the page spans lines.
    static func compacted(_ text: String, _ language: Language) -> String {
        var isInComment = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let bare = line.drop { $0 == " " }
            if isInComment {
                isInComment = !bare.hasSuffix("*/")
                return ""
            }
            guard bare.hasPrefix("/*") else { return bare.hasPrefix("//") ? "" : narrowed(bare, language) }
            isInComment = !bare.contains("*/")
            return isInComment || bare.hasSuffix("*/") ? "" : String(bare)
        }
        return lines.joined(separator: "\n")
    }

    /// A line without the spaces beside punctuation, if it has no text in which they count.
    private static func narrowed(_ line: Substring, _ language: Language) -> String {
        let (punctuation, quotes) = (language.punctuation, language.quotes)
        guard !line.contains(where: quotes.contains) else { return String(line) }
        var narrow = ""
        var last: Character?
        for (character, next) in zip(line, line.dropFirst().map(Optional.some) + [nil]) {
            defer { last = character }
            let isBeside = [last, next].compactMap(\.self).contains(where: punctuation.contains)
            if character != " " || !isBeside { narrow.append(character) }
        }
        return narrow
    }
}
