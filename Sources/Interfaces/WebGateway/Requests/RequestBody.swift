internal import Foundation

/// A value of a body whose own type reports a mistake without its place, such as an id of a camera.
struct Checked<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        do {
            value = try Value(from: decoder)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)"))
        }
    }
}

/// One of several words in a body.
struct OneOf<Word: RawRepresentable & CaseIterable>: Decodable where Word.RawValue == String {
    let word: Word

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "must be one of \(words), and is '\(text)'"))
        }
        self.word = word
    }
}

extension GatewayProblem {
    /// A mistake in a body.
    /// - Parameters:
    ///   - path: The member, such as `selection.devices[2]`.
    ///   - reason: What is wrong and what is allowed.
    static func member(_ path: String, _ reason: String) -> GatewayProblem { badRequest("\(path): \(reason)") }

    /// A member that is absent or has a value of another type.
    static func unreadable(_ error: DecodingError) -> GatewayProblem {
        func path(_ keys: [any CodingKey]) -> String {
            keys.reduce(into: "") { path, key in
                if let index = key.intValue {
                    path += "[\(index)]"
                } else {
                    path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
                }
            }
        }
        switch error {
        case .keyNotFound(let key, let context):
            return .member(path(context.codingPath + [key]), "this member is required")
        case .typeMismatch(let type, let context):
            return .member(path(context.codingPath), "must be \(Self.words(for: type))")
        case .valueNotFound(let type, let context):
            return .member(path(context.codingPath), "must be \(Self.words(for: type)), and is null")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return .member(path(context.codingPath), context.debugDescription)
        default: return .badRequest("the body is not the JSON that this operation takes")
        }
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is Bool.Type: "true or false"
        case is String.Type: "text"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case _ where "\(type)".hasPrefix("Array"): "a list"
        default: "an object"
        }
    }
}
