internal import CaptureModel
public import RigSecurity

/// The keys of a rig: which are admitted under which names and roles, who is invited, who waits for approval, and which
/// sessions their holders have made.
///
/// A value without a clock, random numbers, disk or socket. Each operation either returns what it did, or throws an
/// ``AccessError`` and changes nothing.
///
/// **Durable before effect is the caller's duty.** The caller applies an operation to a copy. If ``revision`` has grown,
/// it writes the copy's ``KeyRegistryDocument`` durably. Only then does it replace its value, publish the
/// ``snapshot()``, and answer. If writing fails, it drops the copy and answers with the failure. A crash between writing
/// and answering loses an answer, and the operation is repeated: redeeming, requesting, revoking and direct admission
/// have the same result again.
///
/// At its start and at least once a minute, the caller has invitations expire: ``expireInvitations(at:)``.
///
/// Who may do what is not decided here: the caller checks the permission `admin` of `by`.
public struct KeyRegistry: Equatable, Sendable {
    /// The most entries of each kind.
    public struct Limits: Hashable, Sendable {
        /// Active keys. Further ones are refused.
        public var keys = 8192
        /// Revoked keys. Those revoked first are forgotten, and are then refused as unknown.
        public var revokedKeys = 4096
        /// Open invitations. Further ones are refused.
        public var openInvitations = 64
        /// All invitations, of which those that are not open are kept for repeats and for clear refusals. The oldest of
        /// them are forgotten.
        public var invitations = 256
        /// Requests for approval. The oldest is displaced.
        public var requests = 64
        /// Valid sessions. Further ones are refused.
        public var sessions = 1024
        /// Valid sessions of one key. Further ones are refused.
        public var sessionsOfKey = 128

        public init() {}
    }

    /// Counts of what the limits removed, since the start of the program.
    public struct Counters: Hashable, Sendable {
        public internal(set) var forgottenKeys: UInt64 = 0
        public internal(set) var forgottenInvitations: UInt64 = 0
        public internal(set) var displacedRequests: UInt64 = 0
    }

    /// Grows with each change of what the document contains: keys, invitations and sessions. Requests are not stored.
    public internal(set) var revision: UInt64 = 0
    public let limits: Limits
    public internal(set) var counters = Counters()

    var ring = KeyRing()
    var invitationList = InvitationList()
    var joinRequests = JoinRequests()
    /// The oldest first.
    var sessionList: [Session] = []

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// All keys: the active ones by name, then the revoked ones, the last revoked first.
    public var keys: [KeyRecord] {
        ring.records.values.sorted { $0.listOrder < $1.listOrder }
    }

    /// All invitations, the oldest first.
    public var invitations: [Invitation] { invitationList.entries }

    /// All requests, waiting and declined, the oldest first.
    public var requests: [JoinRequest] { joinRequests.entries }

    /// Returns a known key, active or revoked.
    public func record(of key: PublicKey) -> KeyRecord? { ring.records[key] }

    /// Returns what a handler of connections needs. Takes time in proportion to the number of keys.
    public func snapshot() -> AccessSnapshot {
        AccessSnapshot(
            revision: revision, holders: ring.records.values.filter(\.isActive).map(\.holder),
            revoked: ring.records.values.filter { !$0.isActive }.map(\.holder.key), sessions: sessionList)
    }

    /// Admits a checked key and forgets its request.
    mutating func insert(_ holder: KeyHolder, _ admission: Admission, rotatesFrom: PublicKey? = nil) {
        ring.insert(KeyRecord(holder: holder, admission: admission, rotatesFrom: rotatesFrom))
        joinRequests.remove(holder.key)
        revision += 1
    }
}

extension KeyRecord {
    /// Active keys by name and time, then revoked keys from the newest.
    fileprivate var listOrder: (Int, String, Int64, String) {
        switch state {
        case .active: (0, holder.name.rawValue, admission.at.nanoseconds, holder.key.base64)
        case .revoked(let revocation): (1, "", 0 &- revocation.at.nanoseconds, holder.key.base64)
        }
    }
}
