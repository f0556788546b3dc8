package import CaptureModel

import class PosixSupport.Locked

/// The audit log as requests use it: what clients change and what they are refused is recorded, and administrators read it.
package protocol RequestAudit: Sendable {
    /// Records a request soon. Never waits.
    func record(_ request: AuditedRequest, by requester: Requester)
    /// Counts a request that was refused because a permission is missing. Never waits.
    func refuse(_ kind: RequestKind, to requester: Requester)
    /// Reads a part of one of the log's files.
    /// - Throws: `fileLost` if the log no longer has the file; `inputOutput`.
    func read(_ range: AuditRange) async throws(RigProblem) -> AuditPart
}

extension RequestAudit {
    /// Records a deletion that the coordinator is about to carry out by itself.
    func record(_ deletion: ShotDeletion) {
        record(
            AuditedRequest(
                kind: .deletion, subject: "\(deletion.shot)",
                details: ["reason": deletion.reason.rawValue, "onlyCopy": "\(deletion.wasOnlyCopy)"]),
            by: Requester(.coordinator, [], RequesterToken(frontEnd: "retention", bytes: [])))
    }
}

/// A request that changes something, as it is recorded. The record says what was requested, not what became of it.
package struct AuditedRequest: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A shot is requested; a take begins or ends.
        case trigger
        /// A setting, a session or a text changes.
        case change
        /// Something that was stored is removed.
        case deletion
    }

    package var kind: Kind
    /// A shot, a take, a device or a node.
    package var subject: String
    /// Further facts by name. The log bounds each.
    package var details: [String: String]

    package init(kind: Kind, subject: String, details: [String: String]) {
        self.kind = kind
        self.subject = subject
        self.details = details
    }
}

/// A part of a file of the audit log, as requested by a front end.
package struct AuditRange: Hashable, Sendable {
    /// The number of the file's first record; nil requests only the list of the files.
    package var file: UInt64?
    /// Bytes from the start of the file, not negative.
    package var offset: Int64
    package var count: Int

    package init(file: UInt64?, offset: Int64, count: Int) {
        self.file = file
        self.offset = offset
        self.count = count
    }
}

/// A part of a file of the audit log, and the files that there are.
package struct AuditPart: Hashable, Sendable {
    package var range: AuditRange
    /// As many bytes as the range counts, or fewer at the end of the file.
    package var bytes: [UInt8]
    /// The length of the file, which may grow.
    package var byteCount: Int64
    /// The number of the first record of each file, in order.
    package var files: [UInt64]

    package init(range: AuditRange, bytes: [UInt8], byteCount: Int64, files: [UInt64]) {
        self.range = range
        self.bytes = bytes
        self.byteCount = byteCount
        self.files = files
    }
}

/// Hands the requests of a service to its audit log, each once.
struct RequestAuditor: Sendable {
    /// nil for a coordinator without keys, which has no log.
    let audit: (any RequestAudit)?
    private let repeats = Locked(RepeatedCommands())

    init(_ audit: (any RequestAudit)?) {
        self.audit = audit
    }

    /// Records a command that is about to be carried out, unless it only reads or is a repeat.
    func record(_ command: RigCommand, by requester: Requester) {
        guard let audit, let request = command.audited(by: requester), isFirst(command, by: requester) else { return }
        audit.record(request, by: requester)
    }

    private func isFirst(_ command: RigCommand, by requester: Requester) -> Bool {
        guard let repeated = command.repeated(by: requester) else { return true }
        return repeats.withLock { $0.note(repeated) }
    }

    /// - Throws: `unsupportedSettings` for a coordinator without an audit log.
    func required() throws(RigProblem) -> any RequestAudit {
        guard let audit else {
            throw RigProblem(
                .unsupportedSettings, "this coordinator runs without keys, and then it has no audit log to read")
        }
        return audit
    }
}

/// The newest commands of which repeats are recognized. A value type.
struct RepeatedCommands: Sendable {
    static let limit = 256

    /// Digests of commands, of which only this process knows the key.
    private var known: Set<Int> = []
    /// `known` in the order of their arrival, and where the next one takes the place of the oldest.
    private var order: [Int] = []
    private var oldest = 0

    /// - Returns: Whether the command is none of the newest.
    mutating func note(_ command: Int) -> Bool {
        guard known.insert(command).inserted else { return false }
        guard order.count == Self.limit else {
            order.append(command)
            return true
        }
        known.remove(order[oldest])
        order[oldest] = command
        oldest = (oldest + 1) % Self.limit
        return true
    }
}

extension RigCommand {
    /// A digest of the command and its originator, if a repeat of the command has no further effect; otherwise nil.
    fileprivate func repeated(by requester: Requester) -> Int? {
        var hasher = Hasher()
        hasher.combine(requester.principal)
        switch self {
        case .trigger(let request): hasher.combine(request)
        case .stopTake(let request) where request.take != nil: hasher.combine(request)
        case .markTake(let request): hasher.combine(request)
        case .device(let request) where request.id != nil: hasher.combine(request)
        case .applySettings(let request): hasher.combine(request)
        case .cancelSettings(let id): hasher.combine(id)
        case .keys(let command) where requester.requestNumber != nil:
            hasher.combine(requester.requestNumber)
            hasher.combine(command)
        case .stopTake, .device, .forgetDevices, .annotate, .delete, .hold, .profile, .keys, .announceGateway:
            return nil
        }
        return hasher.finalize()
    }
}
