import class PosixSupport.Locked

/// Decides whether one more request may be answered concurrently. Other requests are refused, so that none waits in
/// front of another, and counted.
struct RequestAdmission {
    /// Limit on concurrent requests of ``AnswerSource/memory`` and of ``AnswerSource/disk``, each.
    static let limit = 64
    /// Limits on concurrent parts of stored files, of all requesters and of one; and likewise on small pictures. With the longest parts
    /// these are 4 MiB and 2 MiB, with the longest pictures 32 MiB and 16 MiB.
    static let readLimit = 16
    static let readLimitOfRequester = 8

    /// Limit on concurrent parts of the audit log. With the longest parts these are 4 MiB.
    static let auditLimit = 4

    private var underWay: [AnswerSource: Int] = [:]
    private var ofRequester: [AnswerSource: [RequesterToken: Int]] = [:]
    private var refusals: [AnswerSource: UInt64] = [:]

    /// Number of requests for bytes of files that were refused.
    func refused(_ source: AnswerSource) -> UInt64 { refusals[source, default: 0] }

    /// - Returns: The reason for a refusal; nil if the request is admitted, and ``end(_:by:)`` must follow.
    mutating func refusal(_ source: AnswerSource, by requester: RequesterToken) -> String? {
        switch source {
        // The rig limits these itself.
        case .nodes: break
        case .memory, .disk:
            guard underWay[source, default: 0] < Self.limit else {
                return "the coordinator is answering \(Self.limit) other requests of this kind; try again in a moment"
            }
        case .audit:
            guard underWay[source, default: 0] < Self.auditLimit else {
                return
                    "the coordinator is reading \(Self.auditLimit) other parts of the audit log; try again in a moment"
            }
        case .assets, .pictures:
            guard underWay[source, default: 0] < Self.readLimit,
                ofRequester[source]?[requester, default: 0] ?? 0 < Self.readLimitOfRequester
            else {
                refusals[source, default: 0] += 1
                let what = source == .assets ? "parts of files" : "small pictures"
                return "the coordinator reads \(Self.readLimit) \(what) at a time, "
                    + "\(Self.readLimitOfRequester) of them for one client; try again in a moment"
            }
            ofRequester[source, default: [:]][requester, default: 0] += 1
        }
        underWay[source, default: 0] += 1
        return nil
    }

    mutating func end(_ source: AnswerSource, by requester: RequesterToken) {
        underWay[source, default: 1] -= 1
        guard source.hasBytes else { return }
        let left = (ofRequester[source]?[requester] ?? 1) - 1
        ofRequester[source]?[requester] = left > 0 ? left : nil
    }
}

/// A request that is being answered. Its place is in use until ``end()``, or until the last reference is released. For
/// a part of a file, this is when a front end has passed its bytes on, because the bound also limits memory.
package final class AdmittedRequest: Sendable {
    private let release: Locked<(@Sendable () -> Void)?>

    init(release: @escaping @Sendable () -> Void) {
        self.release = Locked(release)
    }

    /// Releases the place. A second call does nothing.
    func end() {
        let release = release.withLock { release in
            defer { release = nil }
            return release
        }
        release?()
    }

    deinit { end() }
}
