internal import CaptureModel

/// Decides which of several gateways publishes. Pure: it is told what happens, and says what to do.
///
/// The broker arbitrates. It admits one client with an id, and the publishing gateway, the owner, has an id that all gateways of the rig know. So
/// there is never more than one owner's connection. The owner says `online` again and again; its last will says `offline`.
///
/// - `away`: There is no connection. After the back-off one is made as a standby.
/// - `connecting`: An attempt is under way, for at most ``patience``.
/// - `standby`: The gateway listens for the owner. If `offline` or nothing was heard for ``grace``, or no further `online` for ``silence``, it
///   connects as the owner, which ends an older owner's connection.
/// - `owner`: The gateway publishes, until its connection ends. Then it is a standby first: another may have replaced it.
///
/// Nobody publishes from the end of the owner until the will is published (at once if its process has ended; after one and a half times its
/// keep-alive if its machine or network has), plus grace and the time of a connection. Two may believe that they publish until the replaced one
/// reads that its connection was ended; the broker takes nothing from it until then.
struct BridgeElection {
    enum Role: Hashable {
        case standby, owner
    }

    enum State: Hashable {
        case away(until: LocalTime)
        case connecting(Role, since: LocalTime)
        /// - Parameters:
        ///   - heard: When the owner said `online`, or when this began.
        ///   - vacant: Since when there is no owner, as far as is known.
        case standby(heard: LocalTime, vacant: LocalTime?)
        case owner(since: LocalTime)
    }

    enum Action: Hashable {
        /// Make a connection; an earlier one is to be ended.
        case connect(Role)
        /// End the connection, which does not come about.
        case giveUp
    }

    static let patience = Duration.seconds(10)
    /// How often the owner says `online`, and after what silence it counts as gone: a broker that was restarted may keep what a gateway said that
    /// exists no longer.
    static let beat = Duration.seconds(10)
    static let silence = Duration.seconds(35)
    static let backOff = Duration.seconds(1)...Duration.seconds(30)
    /// The shortest and the longest grace; each gateway has one between them, so that not all claim at once.
    static let graces = Duration.milliseconds(500)...Duration.milliseconds(1500)

    private(set) var state: State
    private let grace: Duration
    /// Connections that failed, or ended early, in a row.
    private var failures = 0

    /// - Parameter fraction: 0 to 1, random: which grace this gateway has.
    init(at now: LocalTime, fraction: Double) {
        state = .away(until: now)
        grace = Self.graces.lowerBound + (Self.graces.upperBound - Self.graces.lowerBound) * fraction
    }

    /// What is to be done now, if anything is.
    mutating func next(at now: LocalTime) -> Action? {
        switch state {
        case .away(let until):
            guard now >= until else { return nil }
            state = .connecting(.standby, since: now)
            return .connect(.standby)
        case .connecting(_, let since):
            guard now >= since + Self.patience else { return nil }
            fail(at: now)
            return .giveUp
        case .standby(let heard, let vacant):
            guard now >= heard + Self.silence || vacant.map({ now >= $0 + grace }) ?? false else { return nil }
            state = .connecting(.owner, since: now)
            return .connect(.owner)
        case .owner: return nil
        }
    }

    /// The broker has accepted the connection.
    mutating func connected(at now: LocalTime) {
        switch state {
        case .connecting(.standby, _): state = .standby(heard: now, vacant: now)
        case .connecting(.owner, _): state = .owner(since: now)
        case .away, .standby, .owner: break
        }
    }

    /// The broker says of the owner what the owner, or its will, has said last.
    mutating func heard(isOnline: Bool, at now: LocalTime) {
        guard case .standby(let heard, let vacant) = state else { return }
        if isOnline { failures = 0 }
        state = isOnline ? .standby(heard: now, vacant: nil) : .standby(heard: heard, vacant: vacant ?? now)
    }

    /// The connection has ended.
    /// - Parameter isReplaced: Another gateway has become the owner.
    mutating func ended(isReplaced: Bool, at now: LocalTime) {
        switch state {
        case .owner(let since) where isReplaced && now >= since + Self.backOff.lowerBound:
            failures = 0
            state = .away(until: now)
        case .owner(let since) where now >= since + Self.patience:
            failures = 0
            fail(at: now)
        case .away: break
        case .connecting, .standby, .owner: fail(at: now)
        }
    }

    private mutating func fail(at now: LocalTime) {
        let factor = 1 << min(failures, 5)
        failures += 1
        state = .away(until: now + min(Self.backOff.lowerBound * factor, Self.backOff.upperBound))
    }
}
