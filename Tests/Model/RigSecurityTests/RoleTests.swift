import FoundationEssentials
import RigSecurity
import Testing

@Suite struct RoleTests {
    @Test func `The table of roles in the documentation is the one that holds`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Model/RigSecurity/Roles/Role.swift")
        let documented = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("/// |") }.map { String($0.dropFirst(4)) }
        #expect(documented == table)
    }

    private var table: [String] {
        let head = "| role | \(Permission.allCases.map(\.rawValue).joined(separator: " | ")) |"
        let rule = String(repeating: "|---", count: Permission.allCases.count + 1) + "|"
        return [head, rule]
            + Role.allCases.map { role in
                let cells = Permission.allCases.map { permission in
                    if role.permits(permission) { return "own" }
                    return role.permits(permission, forwarding: [permission]) ? "session" : "–"
                }
                return "| \(role.rawValue) | \(cells.joined(separator: " | ")) |"
            }
    }

    @Test func `A session narrows what a gateway may do`() {
        #expect(!Role.dashboard.permits(.trigger))
        #expect(Role.dashboard.permits(.trigger, forwarding: [.view, .trigger]))
        #expect(!Role.dashboard.permits(.configure, forwarding: [.view, .trigger]))
        #expect(!Role.dashboard.permits(.view, forwarding: []))
    }

    @Test(arguments: Role.allCases.filter { $0 != .dashboard })
    func `Only a gateway forwards sessions`(role: Role) {
        for permission in Permission.allCases {
            #expect(!role.permits(permission, forwarding: Set(Permission.allCases)))
        }
    }

    @Test func `Roles and permissions keep their names in documents`() {
        #expect(Role.allCases.map(\.rawValue) == ["viewer", "operator", "node", "dashboard", "admin"])
        #expect(
            Permission.allCases.map(\.rawValue) == ["view", "read", "add", "trigger", "configure", "admin"])
    }
}
