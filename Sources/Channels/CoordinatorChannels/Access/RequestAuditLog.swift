import AuditLog
import CaptureModel
import RigAccess
import RigCore

/// The audit log as clients' requests use it. docs/audit.md lists the details of the records.
struct RequestAuditLog: RequestAudit {
    let log: AuditLog
    let refusals: RefusalRecorder
    let parts: AuditParts

    func record(_ request: AuditedRequest, by requester: Requester) {
        log.record(
            AuditEntry(
                AuditKind(request.kind), by: AuditPrincipal(requester), subject: request.subject,
                details: request.details.merging(requester.forwardingDetails) { own, _ in own }))
    }

    func refuse(_ kind: RequestKind, to requester: Requester) {
        refusals.refuse(
            Refusal(
                address: requester.address.map { "\($0)" } ?? "", domain: "client",
                reason: "\(kind.rawValue) not permitted", principal: AuditPrincipal(requester)))
    }

    func read(_ range: AuditRange) async throws(RigProblem) -> AuditPart {
        do throws(AuditError) {
            let part = try await parts.part(of: range.file, at: range.offset, count: range.count)
            return AuditPart(range: range, bytes: part.bytes, byteCount: part.byteCount, files: part.files)
        } catch {
            throw RigProblem(error.code == .notFound ? .fileLost : .inputOutput, error.description)
        }
    }
}

extension Requester {
    /// Through which gateway and session a request came.
    fileprivate var forwardingDetails: [String: String] {
        guard let forwarding else { return [:] }
        return ["gateway": forwarding.gateway.name, "session": "\(forwarding.session.id)"]
    }
}

extension AuditKind {
    init(_ kind: AuditedRequest.Kind) {
        self =
            switch kind {
            case .trigger: .trigger
            case .change: .change
            case .deletion: .deletion
            }
    }
}

extension AuditPrincipal {
    /// The originator of a request, with the key that its connection has proved.
    init(_ requester: Requester) {
        self.init(name: requester.principal.name, fingerprint: requester.key.map { "\($0)" } ?? "")
    }
}

extension AuditEntry {
    /// The start or the end of the coordinator.
    static func coordinator(_ kind: AuditKind) -> AuditEntry {
        AuditEntry(
            kind, by: AuditPrincipal(.coordinator), subject: "coordinator",
            details: ["software": Coordinator.software])
    }
}
