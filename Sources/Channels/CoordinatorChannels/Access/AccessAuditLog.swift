import AuditLog
import CaptureModel
import RigAccess
import RigSecurity

import struct PosixSupport.UTCDate

/// The audit log as the rig's keys use it.
struct AccessAuditLog: AccessAudit {
    let log: AuditLog

    func commit(_ event: AccessEvent) async throws(AuditRefusal) {
        do {
            try await log.commit(event.entry)
        } catch {
            throw AuditRefusal("\(error)")
        }
    }

    func record(_ event: AccessEvent) {
        log.record(event.entry)
    }
}

extension AccessEvent {
    /// The event as a record. docs/audit.md lists its details.
    var entry: AuditEntry {
        switch self {
        case .invited(let invitation):
            AuditEntry(
                .change, by: AuditPrincipal(invitation.issuedBy), subject: "\(invitation.name)",
                details: ["change": "invited", "role": invitation.role.rawValue])
        case .withdrawn(let invitation, let principal):
            AuditEntry(
                .change, by: AuditPrincipal(principal), subject: "\(invitation.name)",
                details: ["change": "invitationWithdrawn"])
        case .expired(let invitation):
            AuditEntry(.change, subject: "\(invitation.name)", details: ["change": "invitationExpired"])
        case .admitted(let holder, let admission):
            AuditEntry(
                .admission, by: AuditPrincipal(admission.by), subject: "\(holder.name)",
                details: holder.details(["means": admission.means.rawValue]))
        case .requested(let request):
            AuditEntry(
                .change, by: AuditPrincipal(name: "", fingerprint: "\(request.key)"), subject: "\(request.name)",
                details: ["change": "requested", "role": request.role.rawValue])
        case .declined(let request, let principal):
            AuditEntry(
                .refusal, by: AuditPrincipal(principal), subject: "\(request.name)",
                details: ["fingerprint": "\(request.key)", "reason": "declined"])
        case .revoked(let holders, let principal):
            AuditEntry(
                .revocation, by: AuditPrincipal(principal), subject: holders.first.map { "\($0.name)" } ?? "",
                details: ["fingerprints": holders.map { "\($0.key)" }.joined(separator: " ")])
        case .renamed(let holders, let old, let principal):
            AuditEntry(
                .change, by: AuditPrincipal(principal), subject: holders.first.map { "\($0.name)" } ?? "",
                details: ["change": "renamed", "from": "\(old)"])
        case .replaced(let holder, let principal):
            AuditEntry(
                .revocation, by: AuditPrincipal(principal), subject: "\(holder.name)",
                details: holder.details(["reason": "replaced"]))
        case .sessionBegun(let session, let principal):
            AuditEntry(
                .admission, by: AuditPrincipal(principal), subject: principal.name,
                details: session.details.merging([
                    "expires": UTCDate(realtimeNanoseconds: session.expiresAt.nanoseconds).description,
                    "permissions": Permission.allCases.filter(session.permissions.contains).map(\.rawValue)
                        .joined(separator: " "),
                ]) { own, _ in own })
        case .sessionEnded(let session, let principal):
            AuditEntry(
                .revocation, by: AuditPrincipal(principal), subject: session.label, details: session.details)
        case .undone(let event, let reason): event.entry.undone(reason)
        }
    }
}

extension Session {
    fileprivate var details: [String: String] {
        ["session": "\(id)", "means": kind.rawValue, "label": label, "fingerprint": "\(maker)"]
    }
}

extension KeyHolder {
    fileprivate func details(_ others: [String: String]) -> [String: String] {
        others.merging(["fingerprint": "\(key)", "role": role.rawValue]) { own, _ in own }
    }
}

extension AuditPrincipal {
    /// The originator of a command. The name of a key's holder is in the registry, so no fingerprint is needed.
    init(_ principal: Principal) {
        self.init(name: principal.name, fingerprint: "")
    }
}

extension AuditEntry {
    /// A record that an earlier record of an event does not hold.
    fileprivate func undone(_ reason: String) -> AuditEntry {
        AuditEntry(
            kind, by: principal, subject: subject,
            details: details.merging(["undone": reason]) { own, _ in own })
    }
}
