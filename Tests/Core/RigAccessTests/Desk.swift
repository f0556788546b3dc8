import CaptureModel
import RigAccess
import RigSecurity
import Testing

/// A registry with its limiter, a clock and reproducible random numbers, and the operations with what tests rarely vary.
struct Desk {
    static let anna = Principal(recorded: "anna", isAuthenticated: true) ?? .unnamed
    /// 2026-11-25T18:00:00Z.
    static let start = WallTime(nanoseconds: 1_795_629_600_000_000_000)

    var registry: KeyRegistry
    var limiter = AttemptLimiter()
    var generator = SplitMix64(seed: 1)
    var now = Desk.start

    init(_ change: (inout KeyRegistry.Limits) -> Void = { _ in }) {
        var limits = KeyRegistry.Limits()
        change(&limits)
        registry = KeyRegistry(limits: limits)
    }

    static func key(_ seed: UInt64) throws -> PublicKey {
        var generator = SplitMix64(seed: seed)
        return try #require(PublicKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    /// A permit of an attempt that nothing has limited.
    static func permit(from address: String = "192.0.2.1") throws -> AttemptPermit {
        var limiter = AttemptLimiter()
        return try limiter.attempt(from: IPAddress(address), at: LocalTime(nanoseconds: 0))
    }

    static func prefix(of key: PublicKey, length: Int = 43) throws -> FingerprintPrefix {
        try FingerprintPrefix(String(key.fingerprint.description.prefix(7 + length)))
    }

    @discardableResult
    mutating func admit(_ seed: UInt64, as name: String, role: Role = .node) throws -> PublicKey {
        let key = try Self.key(seed)
        _ = try registry.admit(key, as: KeyName(name), role: role, by: .coordinator, at: now)
        return key
    }

    mutating func invite(_ name: String, role: Role = .node) throws -> IssuedInvitation {
        try registry.invite(
            KeyName(name), role: role, by: Self.anna, at: now, token: JoinToken(using: &generator))
    }

    @discardableResult
    mutating func withdraw(_ name: String) throws -> Invitation {
        try registry.withdrawInvitation(of: KeyName(name), by: Self.anna, at: now)
    }

    @discardableResult
    mutating func redeem(_ token: JoinToken, for key: PublicKey) throws -> AdmissionOutcome {
        try registry.redeem(token, for: key, permit: Self.permit(), at: now)
    }

    @discardableResult
    mutating func request(
        _ name: String, for key: PublicKey, role: Role = .node, from address: String = "192.0.2.1"
    ) throws -> RequestOutcome {
        try registry.request(KeyName(name), role: role, for: key, permit: Self.permit(from: address), at: now)
    }

    @discardableResult
    mutating func approve(_ key: PublicKey, as name: String, role: Role = .node) throws -> AdmissionOutcome {
        try registry.approve(Self.prefix(of: key), as: KeyName(name), role: role, by: Self.anna, at: now)
    }

    @discardableResult
    mutating func revoke(_ text: String) throws -> [KeyHolder] {
        try registry.revoke(registry.select(text), by: Self.anna, at: now)
    }

    @discardableResult
    mutating func rotate(_ name: String, to key: PublicKey) throws -> AdmissionOutcome {
        try registry.rotate(KeyName(name), to: key, by: Self.anna, at: now)
    }

    /// Expects that an operation is refused, that it changes nothing, and that the refusal says what to do.
    @discardableResult
    mutating func refused(
        _ code: AccessError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: (inout Desk) throws -> Void
    ) -> AccessError? {
        let before = registry
        let error = #expect(throws: AccessError.self, sourceLocation: sourceLocation) { try operation(&self) }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(registry == before, sourceLocation: sourceLocation)
        if let error {
            #expect(error.description == "\(error.cause); \(error.remedy)" && error.remedy.count > 10)
        }
        return error
    }
}
