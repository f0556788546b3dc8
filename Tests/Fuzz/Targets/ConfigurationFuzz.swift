import CameraKit
import CaptureBackends
import RigConfiguration

/// The configuration files of both daemons.
enum ConfigurationFuzz {
    static func agent(_ bytes: [UInt8]) throws {
        try check(
            bytes, { try AgentConfiguration.parse(text: $0, file: "fuzz.yaml", sources: Backends.all.sources) },
            { try $0.yaml() })
    }

    static func coordinator(_ bytes: [UInt8]) throws {
        try check(bytes, { try CoordinatorConfiguration.parse(text: $0, file: "fuzz.yaml") }, { try $0.yaml() })
    }

    private static func check<Value: Equatable>(
        _ bytes: [UInt8], _ parse: (String) throws -> Value, _ write: (Value) throws -> String
    ) throws {
        let value: Value
        do {
            value = try parse(String(decoding: bytes, as: UTF8.self))
        } catch let error as ConfigurationError {
            let places = error.problems.map { "\($0.line):\($0.column)" }
            try FuzzFinding.unless(!places.isEmpty, "a file is refused without a reason")
            return try FuzzFinding.unless(
                error.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 }, "a mistake has no place: \(places)")
        }
        let text = try write(value)
        do {
            try FuzzFinding.unless(try parse(text) == value, "a file that was written says something else:\n\(text)")
        } catch let error as ConfigurationError {
            throw FuzzFinding(description: "a file that was written is refused: \(error)\n\(text)")
        }
    }
}
