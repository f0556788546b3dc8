/// A document whose values have limits beyond their types.
public protocol ValidatedDocument {
    /// - Throws: the first member that is beyond its limits, or that contradicts another one.
    func validate() throws(InvalidDocument)
}

extension ValidatedDocument {
    /// Checks a number; an absent one has no limits.
    package func check<Number: BinaryInteger>(
        _ value: Number?, _ member: String, in range: ClosedRange<Number>
    ) throws(InvalidDocument) {
        guard let value, !range.contains(value) else { return }
        throw InvalidDocument(member, "must be \(range.lowerBound) to \(range.upperBound), and is \(value)")
    }

    /// Checks the length of a list.
    package func check(count: Int, _ member: String, in range: ClosedRange<Int>) throws(InvalidDocument) {
        guard !range.contains(count) else { return }
        throw InvalidDocument(
            member, "must have \(range.lowerBound) to \(range.upperBound) elements, and has \(count)")
    }

    /// Checks a document that is a member of this one.
    package func check(_ document: (some ValidatedDocument)?, _ member: String) throws(InvalidDocument) {
        do {
            try document?.validate()
        } catch {
            throw error.within(member)
        }
    }

    /// Checks each document of a list.
    package func check(_ documents: [some ValidatedDocument], _ member: String) throws(InvalidDocument) {
        for (index, document) in documents.enumerated() { try check(document, "\(member)[\(index)]") }
    }

    /// Checks a word of an open set, such as a label: 1 to 64 bytes without spaces and characters that are not printable.
    package func check(word: String?, _ member: String) throws(InvalidDocument) {
        guard let word, !word.isWord else { return }
        throw InvalidDocument(
            member,
            "must have 1 to \(String.longestWord) bytes without spaces and characters that are not printable")
    }
}

extension String {
    /// UTF-8 bytes of the longest label, type or position.
    public static let longestWord = 64

    /// Whether it can be a label, type or position.
    public var isWord: Bool {
        (1...Self.longestWord).contains(utf8.count)
            && unicodeScalars.allSatisfy { !$0.isUnprintable && !$0.properties.isWhitespace }
    }
}
