internal import CaptureModel
internal import RigClient
internal import RigSecurity

internal import class PosixSupport.Locked

/// The sessions that the coordinator has confirmed within the last minute, with their kinds, which do not change.
final class ConfirmedSessions: Sendable {
    /// How long a confirmation counts.
    static let validity = SessionCheck.trust
    /// The most sessions that are remembered; further ones are confirmed for each request.
    static let limit = 4096

    private struct Confirmation {
        var kind: RigSession.Kind
        var time: LocalTime
    }

    private let confirmations = Locked<[SessionSecret: Confirmation]>([:])

    /// The kind of a session that counts as confirmed; nil for any other secret.
    func kind(of session: SessionSecret, at now: LocalTime) -> RigSession.Kind? {
        confirmations.withLock { confirmations in
            guard let confirmation = confirmations[session], now < confirmation.time + Self.validity else { return nil }
            return confirmation.kind
        }
    }

    func confirm(_ session: SessionSecret, _ kind: RigSession.Kind, at now: LocalTime) {
        confirmations.withLock { confirmations in
            if confirmations.count >= Self.limit {
                confirmations = confirmations.filter { now < $0.value.time + Self.validity }
            }
            guard confirmations.count < Self.limit || confirmations[session] != nil else { return }
            confirmations[session] = Confirmation(kind: kind, time: now)
        }
    }
}
