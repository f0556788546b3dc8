import ClientContexts
import RigConfiguration
import Testing

@Suite struct ContextListTests {
    @Test func `The first context becomes the current one, further ones do not`() throws {
        let list = try Sample.list("studio", "barn")
        #expect(list.contexts.map(\.name.description) == ["studio", "barn"])
        #expect(list.current?.description == "studio")
        #expect(try list[ContextName("barn")] == Sample.context("barn"))
        #expect(try list[ContextName("lab")] == nil)
    }

    @Test func `Another context becomes the current one when it is used`() throws {
        var list = try Sample.list("studio", "barn")
        try list.use(ContextName("barn"))
        #expect(list.current?.description == "barn")
    }

    @Test func `An unknown context is refused with those that exist, and nothing changes`() throws {
        var list = try Sample.list("studio", "barn")
        let before = list
        let using = #expect(throws: ContextError.self) { try list.use(ContextName("bran")) }
        let removing = #expect(throws: ContextError.self) { try list.remove(ContextName("bran")) }
        for error in [using, removing] {
            #expect(error?.code == .unknown && error?.subject == "'bran'")
            #expect(error?.remedy.contains("there are: studio, barn") == true)
        }
        #expect(list == before)
    }

    @Test func `A second context of one name is refused, and the first stays`() throws {
        var list = try Sample.list("studio")
        let error = #expect(throws: ContextError.self) { try list.add(Sample.context("studio", port: 1)) }
        #expect(error?.code == .exists && error?.remedy.contains("capctl context remove studio") == true)
        #expect(try list == Sample.list("studio"))
    }

    @Test func `Joining a rig again replaces its context in its place`() throws {
        var list = try Sample.list("studio", "barn")
        try list.put(Sample.context("studio", port: 1))
        #expect(list.contexts.map(\.coordinator.port) == [1, 7713])
        try list.put(Sample.context("lab"))
        #expect(list.contexts.map(\.name.description) == ["studio", "barn", "lab"])
    }

    @Test func `When the current context is removed, no other becomes current by itself`() throws {
        var list = try Sample.list("studio", "barn", "lab", current: "barn")
        #expect(try list.remove(ContextName("lab")).name.description == "lab")
        #expect(list.current?.description == "barn")
        try list.remove(ContextName("barn"))
        #expect(list.current == nil && list.contexts.map(\.name.description) == ["studio"])
        try list.add(Sample.context("next"))
        #expect(list.current == nil)
    }

    @Test func `A list has a limit, beyond which a context is refused`() throws {
        var list = ContextList()
        for index in 0..<ContextList.limit { try list.add(Sample.context("c\(index)")) }
        let error = #expect(throws: ContextError.self) { try list.put(Sample.context("one-more")) }
        #expect(error?.code == .tooMany && list.contexts.count == ContextList.limit)
    }

    @Test(arguments: ["a", "left-arm", "Barn_2.eu", "0", String(repeating: "x", count: 63)])
    func `A name of letters, digits and a few signs is accepted`(text: String) throws {
        #expect(try ContextName(text).description == text)
    }

    @Test(arguments: [
        "", "-a", ".a", "_a", "a/b", "a b", "ä", "a\n", "..", "a\u{0}", String(repeating: "x", count: 64),
    ])
    func `Any other name is refused in one line`(text: String) throws {
        let error = #expect(throws: ContextError.self) { try ContextName(text) }
        #expect(error?.code == .invalid && error?.description.contains("\n") == false)
    }

    @Test(arguments: ["", "key", "./key", "/a\u{0}", "/" + String(repeating: "x", count: 5000)])
    func `A key file without an absolute path is refused`(path: String) throws {
        let context = try Sample.context("a")
        let error = #expect(throws: ContextError.self) {
            try ClientContext(
                name: context.name, coordinator: context.coordinator, coordinatorKey: context.coordinatorKey,
                keyFile: path)
        }
        #expect(error?.code == .invalid)
    }
}
