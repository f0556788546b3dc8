public import CaptureModel

/// A kind of single value, with the function that reads it from text.
public struct Scalar<Value> {
    public let read: (String) throws(ScalarFault) -> Value

    public init(_ read: @escaping (String) throws(ScalarFault) -> Value) {
        self.read = read
    }

    /// Returns the same kind with one more step.
    public func map<Result>(_ step: @escaping (Value) throws(ScalarFault) -> Result) -> Scalar<Result> {
        Scalar<Result> { text throws(ScalarFault) in try step(try read(text)) }
    }
}

extension Scalar where Value: FixedWidthInteger {
    public static func integer(_ range: ClosedRange<Value>) -> Scalar {
        Scalar { text throws(ScalarFault) in
            guard let value = Value(text), range.contains(value) else {
                throw ScalarFault(
                    "'\(text.excerpt)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
    }
}

extension Scalar<Double> {
    public static func number(_ range: ClosedRange<Double>) -> Scalar {
        Scalar { text throws(ScalarFault) in
            let isDecimal = text.allSatisfy { "+-.eE0123456789".contains($0) }
            guard isDecimal, let value = Double(text), range.contains(value) else {
                throw ScalarFault("'\(text.excerpt)' is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
    }
}

extension Scalar<Bool> {
    public static var flag: Scalar {
        Scalar { text throws(ScalarFault) in
            switch text {
            case "true": true
            case "false": false
            default: throw ScalarFault("'\(text.excerpt)' is neither true nor false")
            }
        }
    }
}

extension Scalar where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of a closed set of words.
    public static func oneOf(_ type: Value.Type) -> Scalar {
        Scalar { text throws(ScalarFault) in
            if let value = Value(rawValue: text) { return value }
            let words = type.allCases.map(\.rawValue)
            let hint = text.nearest(among: words).map { "; did you mean '\($0)'?" } ?? ""
            throw ScalarFault("'\(text.excerpt)' is not one of \(words.joined(separator: ", "))\(hint)")
        }
    }
}

extension Scalar {
    /// The name of a node or device.
    public static func name<Subject>() -> Scalar where Value == Name<Subject> {
        Scalar { text throws(ScalarFault) in
            do throws(InvalidName) {
                return try Name(text)
            } catch {
                throw ScalarFault(error.description)
            }
        }
    }
}

extension String {
    /// Returns the most similar word; nil if none is similar enough. A third of the letters may differ, or one text is
    /// a part of the other, such as `port` and `basePort`.
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

    /// Returns the Damerau-Levenshtein distance, in which swapped neighbors count once.
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
