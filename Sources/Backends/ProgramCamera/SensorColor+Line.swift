import CameraKit

/// The line in which a program tells the colors of its raw frames: `color BLACK RED,BLUE MATRIX`, with `-` for what is unknown.
extension SensorColor {
    /// The word with which the line begins.
    static let word = "color"

    /// - Returns: nil for any other line, and for values that a camera cannot have.
    init?(line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == Self.word, let black = Self.numbers(words[1], count: 1),
            let gains = Self.numbers(words[2], count: 2), let correction = Self.numbers(words[3], count: 9)
        else { return nil }
        let level = black.first.flatMap { UInt16(exactly: $0) }
        guard black.isEmpty || level != nil else { return nil }
        self.init(
            blackLevel: level, gains: gains.isEmpty ? nil : Gains(red: gains[0], blue: gains[1]),
            correction: correction.isEmpty ? nil : correction)
    }

    /// Returns numbers with commas between them; none if they are unknown, nil for anything else.
    private static func numbers(_ word: Substring, count: Int) -> [Double]? {
        if word == "-" { return [] }
        let numbers = word.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let known = numbers.compactMap(\.self)
        return known.count == count && numbers.count == count ? known : nil
    }
}
