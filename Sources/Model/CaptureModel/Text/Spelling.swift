/// What a misspelled word may have been meant to be.
public enum Spelling {
    /// The most characters that are compared; a longer word has no suggestion.
    private static let longest = 64

    /// Returns the known word that needs the fewest changes to become `word`: letters that are added, missing or wrong, and
    /// neighbors in the wrong order. Upper and lower case are the same. Of several, the first one.
    /// - Returns: nil if none is near, which is one change for each three letters.
    public static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased())
        guard (1...longest).contains(letters.count) else { return nil }
        var nearest: (word: String, distance: Int)?
        for candidate in known where candidate != word && candidate.count <= longest {
            let distance = distance(letters, Array(candidate.lowercased()))
            guard distance <= max(1, letters.count / 3), distance < nearest?.distance ?? .max else { continue }
            nearest = (candidate, distance)
        }
        return nearest?.word
    }

    /// Returns ` (did you mean 'north'?)`, which follows the word in a sentence; empty if no known word is near.
    public static func question(for word: String, among known: some Sequence<String>) -> String {
        nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    }

    /// The number of changes, each letter being changed once at most (optimal string alignment).
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        guard !one.isEmpty, !other.isEmpty else { return max(one.count, other.count) }
        var (beforeLast, last) = ([Int](), Array(0...other.count))
        for row in 1...one.count {
            var current = [row]
            for column in 1...other.count {
                let isSame = one[row - 1] == other[column - 1]
                var least = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                    least = min(least, beforeLast[column - 2] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
