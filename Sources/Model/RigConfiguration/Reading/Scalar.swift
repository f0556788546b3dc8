public import CaptureModel

/// A kind of single value: how it is read from its text.
public struct Scalar<Value> {
    public let read: (String) throws(ScalarFault) -> Value

    public init(_ read: @escaping (String) throws(ScalarFault) -> Value) {
        self.read = read
    }

    /// The same kind, with one more step.
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
            throw ScalarFault("'\(text.excerpt)' is none of \(words.joined(separator: ", "))\(hint)")
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
