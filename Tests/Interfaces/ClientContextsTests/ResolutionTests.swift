import ClientContexts
import KeyFiles
import Testing
import ZeroMQ

@Suite struct ResolutionTests {
    private static let path = "/srv/anna/.config/caprig/contexts.json"

    /// Resolves in a list of `studio` and `barn`.
    private func resolve(
        option: String? = nil, variable: String? = nil, current: String? = "studio", admin: AdminAccess? = nil
    ) throws -> ContextChoice {
        var list = try Sample.list("studio", "barn", current: current)
        if current == nil {
            try list.remove(ContextName("studio"))
            try list.add(Sample.context("studio"))
        }
        return try ContextChoice.resolve(
            option: option, environment: variable.map { [ContextChoice.variable: $0] } ?? [:], contexts: list,
            path: Self.path
        ) { () throws(KeyFileError) in
            if let admin { return admin }
            return try AdminKey(in: "/nonexistent/admin").load()
        }
    }

    private static func admin() throws -> AdminAccess {
        let pair = try CurveKeyPair.generate()
        return AdminAccess(pair: pair, coordinator: pair.publicKey, endpoint: "tcp://127.0.0.1:7713")
    }

    @Test(
        arguments: [
            // --context, CAPRIG_CONTEXT, current context, choice
            ("barn", nil, nil, "barn", .option), ("barn", "studio", "studio", "barn", .option),
            ("barn", "nowhere", "studio", "barn", .option),
            (nil, "barn", nil, "barn", .variable), (nil, "barn", "studio", "barn", .variable),
            (nil, nil, "barn", "barn", .current), (nil, "", "barn", "barn", .current),
        ] as [(String?, String?, String?, String, ContextChoice.Source)])
    func `The option comes before the variable, the variable before the current context, with or without an admin key`(
        option: String?, variable: String?, current: String?, name: String, source: ContextChoice.Source
    ) throws {
        for admin in [nil, try Self.admin()] {
            let choice = try resolve(option: option, variable: variable, current: current, admin: admin)
            guard case .context(let context, source) = choice else {
                Issue.record("\(choice)")
                return
            }
            #expect(try context == Sample.context(name))
        }
    }

    @Test(arguments: [nil, ""] as [String?])
    func `If nothing names a context, the admin key of this machine is used`(variable: String?) throws {
        let admin = try Self.admin()
        guard case .localAdmin(let used) = try resolve(variable: variable, current: nil, admin: admin) else {
            Issue.record("another choice")
            return
        }
        #expect(used.coordinator == admin.coordinator && used.endpoint == admin.endpoint)
    }

    @Test(
        arguments: [
            ("bran", nil, "--context", .unknown), (nil, "bran", "CAPRIG_CONTEXT", .unknown),
            ("", nil, "--context", .invalid),
            ("a/b", nil, "--context", .invalid), (nil, "a b", "CAPRIG_CONTEXT", .invalid),
        ] as [(String?, String?, String, ContextError.Code)])
    func
        `A name that is not a context is refused with what names it, even if there is a current context and an admin key`(
            option: String?, variable: String?, source: String, code: ContextError.Code
        ) throws
    {
        let admin = try Self.admin()
        let error = #expect(throws: ContextError.self) {
            try resolve(option: option, variable: variable, admin: admin)
        }
        #expect(error?.code == code && error?.description.contains(source) == true, "\(error?.description ?? "")")
        if code == .unknown { #expect(error?.remedy.contains("studio, barn") == true) }
    }

    @Test func `Without any choice, the error says what was looked for and which command gets a context`() throws {
        let error = try #require(throws: ContextError.self) {
            try ContextChoice.resolve(option: nil, environment: [:], contexts: ContextList(), path: Self.path) {
                () throws(KeyFileError) in try AdminKey(in: "/nonexistent/admin").load()
            }
        }
        #expect(
            error.description == "cannot choose a rig: neither --context nor CAPRIG_CONTEXT is given, "
                + "/srv/anna/.config/caprig/contexts.json lists none, and the admin key of this machine cannot be used "
                + "(/nonexistent/admin/admin.key_secret: there is no such file); ask an administrator for a code and run: "
                + "capctl join CODE; a coordinator on this machine makes the key when it starts: systemctl status capcoordd"
        )
        #expect(error.code == .noContext && error.cause?.code == .missing)
    }

    @Test func `If contexts exist but none is current, the error says how to choose one`() throws {
        let error = try #require(throws: ContextError.self) { try resolve(current: nil) }
        #expect(error.code == .noContext && error.reason.contains("none of the 2"))
        #expect(error.remedy.hasPrefix("choose one: capctl context use NAME"))
    }

    @Test func `The admin key is not looked for if a context is chosen`() throws {
        let choice = try ContextChoice.resolve(
            option: "studio", environment: [:], contexts: Sample.list("studio"), path: Self.path
        ) { () throws(KeyFileError) in
            Issue.record("looked for")
            return try AdminKey(in: "/nonexistent/admin").load()
        }
        guard case .context = choice else {
            Issue.record("\(choice)")
            return
        }
    }
}
