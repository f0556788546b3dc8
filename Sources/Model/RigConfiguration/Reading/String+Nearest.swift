extension String {
    /// The word most like this text, when it is like enough to be meant: a third of the letters may differ, or one is a
    /// part of the other, as `port` of `basePort`.
    func nearest(among words: [String]) -> String? {
        let text = String(lowercased().prefix(64))
        if text.count > 2, let word = words.first(where: { $0.overlaps(text) }) { return word }
        let ranked = words.map { (word: $0, distance: Self.distance(Array(text), Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= Swift.max(1, best.word.count / 3) ? best.word : nil
    }

    private func overlaps(_ text: String) -> Bool {
        lowercased().contains(text) || text.contains(lowercased())
    }

    /// The edit distance of Damerau and Levenshtein, with neighbours swapped counting once.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for (index, letter) in left.enumerated() {
            var row = [index + 1]
            for (column, other) in right.enumerated() {
                let substitution = rows[index][column] + (letter == other ? 0 : 1)
                var cost = Swift.min(substitution, rows[index][column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, letter == right[column - 1], left[index - 1] == other {
                    cost = Swift.min(cost, rows[index - 1][column - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
