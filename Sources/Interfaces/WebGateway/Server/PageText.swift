/// The text of the page's scripts and styles without what only their readers need: comments that fill lines, indentation, spaces beside
/// punctuation, and the semicolon before a closing brace.
enum PageText {
    /// A language of the page, with the punctuation beside which its spaces mean nothing.
    enum Language: String {
        case script = "js"
        case style = "css"

        fileprivate var punctuation: Set<Character> {
            switch self {
            case .script: ["{", "}", "(", ")", "[", "]", ";", ",", ":", "=", "<", ">", "?", "&", "|", "*", "!"]
            // A space before a colon or a parenthesis separates there; one after a colon does not.
            case .style: ["{", "}", ";", ",", ">"]
            }
        }

        /// Where texts begin and end.
        fileprivate var quotes: Set<Character> {
            switch self {
            case .script: ["'", "\"", "`"]
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

    /// A line without the spaces beside punctuation outside of its texts. One that may have a regular expression, in which every space counts,
    /// stays as it is.
    private static func narrowed(_ line: Substring, _ language: Language) -> String {
        let punctuation = language.punctuation
        func isPunctuation(_ character: Character?) -> Bool { character.map(punctuation.contains) ?? false }
        var texts = Texts(quotes: language.quotes)
        var narrow = ""
        var last: Character?
        for (character, next) in zip(line, line.dropFirst().map(Optional.some) + [nil]) {
            defer { last = character }
            let isText = texts.contain(character)
            if character == "/", !isText, language == .script { return String(line) }
            if character == " ", !isText {
                if isPunctuation(last) || isPunctuation(next) { continue }
                // Two of them beside each other would be another operator.
                if language == .script ? (last == "+") != (next == "+") : last == ":" { continue }
            }
            if character == "}", !isText, narrow.last == ";" { narrow.removeLast() }
            narrow.append(character)
        }
        return texts.areOver ? narrow : String(line)
    }

    /// Where a line that is read character by character has its texts: between quotes, in templates without their expressions.
    private struct Texts {
        private enum Part: Equatable {
            case text(quote: Character)
            /// In a template.
            case expression
            /// Braces in an expression.
            case block
        }

        let quotes: Set<Character>
        private var open: [Part] = []
        private var isEscaped = false
        private var isAfterDollar = false

        init(quotes: Set<Character>) { self.quotes = quotes }

        var areOver: Bool { open.isEmpty }

        /// Whether the next character belongs to a text or delimits one.
        mutating func contain(_ character: Character) -> Bool {
            switch open.last {
            case .text(let quote):
                let beginsExpression = isAfterDollar && character == "{" && quote == "`"
                isAfterDollar = character == "$" && !isEscaped
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == quote {
                    open.removeLast()
                } else if beginsExpression {
                    open.append(.expression)
                }
                return true
            case .some where character == "}": return open.removeLast() == .expression
            case .some where character == "{": open.append(.block)
            default: break
            }
            guard quotes.contains(character) else { return false }
            open.append(.text(quote: character))
            return true
        }
    }
}
