import CaptureModel
import RigSecurity
import Testing

/// Values that several tests use.
enum Samples {
    static func key(_ seed: UInt64) throws -> PublicKey {
        var generator = SplitMix64(seed: seed)
        return try #require(
            PublicKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }
}

/// Returns the error of an operation that is expected to fail.
func failure(_ operation: () throws -> Void) -> SecurityError? {
    #expect(throws: SecurityError.self) { try operation() }
}
