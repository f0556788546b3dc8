import CaptureModel
import StrictJSON
import Testing

/// Documents that are read strictly, whatever their type.
@Suite struct StrictJSONTests {
    private struct Box: Codable, Equatable, ValidatedDocument {
        enum Color: String, Codable, CaseIterable {
            case red, green
        }

        struct Lid: Codable, Equatable {
            var isOpen: Bool
        }

        var name: String?
        var color: Color?
        var count: Int?
        var small: UInt8?
        var wide: Int64?
        var share: Double?
        var lids: [Lid]?
        var weights: [String: Int64]?

        func validate() throws(InvalidDocument) { try check(count, "count", in: 0...9) }
    }

    private func read(_ text: String) throws(InvalidDocument) -> Box { try StrictJSON.decode(from: text.utf8) }

    private func mistake(_ text: String) -> InvalidDocument? {
        do throws(InvalidDocument) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A document is read as it is written`() throws {
        let box = Box(
            name: "a\"\\/\n\u{8}é😀", color: .green, count: 7, small: 255, wide: .min, share: -0.25,
            lids: [.init(isOpen: true), .init(isOpen: false)], weights: ["a": 1, "b": -2])
        #expect(try read(StrictJSON.text(box)) == box)
        #expect(try read(" {\t\"name\" :\r\n \"\\u0061\\ud83d\\ude00\\/\" } ") == Box(name: "a😀/"))
        #expect(try read("{}") == Box())
    }

    @Test func `Ignored members are counted, the first with its path`() throws {
        func ignored(_ text: String) throws(InvalidDocument) -> IgnoredMembers {
            var ignored = IgnoredMembers()
            _ = try StrictJSON.decode(
                Box.self, from: text.utf8, unknown: .ignored, longest: StrictJSON.longest, ignored: &ignored)
            return ignored
        }
        #expect(try ignored(#"{"name":"a","lids":[{"isOpen":true}],"weights":{"a":1}}"#) == IgnoredMembers())
        let some = try ignored(#"{"lids":[{"isOpen":true},{"isOpen":false,"hinge":{"a":1,"b":2}}],"name":"a"}"#)
        #expect(some.count == 1 && some.first == "lids[1].hinge")
        let more = try ignored(#"{"lids":[{"isOpen":true,"hinge":1}],"weather":"rain","wind":{"speed":3}}"#)
        #expect(more.count == 3 && more.first == "weather")
    }

    @Test func `null is like absence where a member may be absent`() throws {
        #expect(try read(#"{"name":null,"color":null,"count":null,"lids":null,"weights":null}"#) == Box())
        let request = try StrictJSON.decode(
            ShotRequest.self,
            from: #"{"selection":{"choice":{"all":{}},"nodes":null},"settings":null,"time":null,"requireAll":null}"#
                .utf8)
        #expect(request == ShotRequest(selection: Selection(), settings: .usual))
    }

    @Test func `An integer keeps 64 bits, as a number and as decimal text`() throws {
        #expect(try read(#"{"wide":-9223372036854775808}"#).wide == .min)
        #expect(try read(#"{"wide":"9223372036854775807"}"#).wide == .max)
        #expect(try read(#"{"wide":9007199254740993}"#).wide == 9_007_199_254_740_993)
        #expect(try read(#"{"weights":{"a":"9007199254740993"}}"#).weights == ["a": 9_007_199_254_740_993])
        #expect(try read(#"{"count":1.0,"wide":1e3}"#) == Box(count: 1, wide: 1000))
    }

    @Test(arguments: [
        (#"{"wide":9223372036854775808}"#, "wide"), (#"{"wide":1e300}"#, "wide"), (#"{"wide":"1e3"}"#, "wide"),
        (#"{"wide":"+1"}"#, "wide"), (#"{"wide":"01"}"#, "wide"), (#"{"wide":"-0"}"#, "wide"),
        (#"{"wide":""}"#, "wide"),
        (#"{"count":"1"}"#, "count"), (#"{"count":1.5}"#, "count"), (#"{"count":10}"#, "count"),
        (#"{"count":true}"#, "count"), (#"{"small":256}"#, "small"), (#"{"small":-1}"#, "small"),
        (#"{"share":"1"}"#, "share"), (#"{"share":1e999}"#, "share"), (#"{"name":1}"#, "name"),
        (#"{"color":"blue"}"#, "color"), (#"{"lids":[null]}"#, "lids[0]"),
        (#"{"lids":[{"isOpen":null}]}"#, "lids[0].isOpen"),
        (#"{"lids":{}}"#, "lids"), (#"{"lids":[{"isOpen":true},7]}"#, "lids[1]"),
        (#"{"lids":[{"isOpen":1}]}"#, "lids[0].isOpen"), (#"{"lids":[{}]}"#, "lids[0].isOpen"),
        (#"{"weights":{"a":1,"b":"x"}}"#, "weights.b"),
    ])
    func `A value that its member cannot have is refused with its path`(text: String, path: String) {
        #expect(mistake(text)?.path == path)
    }

    @Test(arguments: [
        (#"{"colors":"red"}"#, "colors"), (#"{"lids":[{"isOpen":true,"isShut":false}]}"#, "lids[0].isShut"),
        (#"{"name":"a","name":"a"}"#, "name"), (#"{"lids":[{"isOpen":true,"isOpen":true}]}"#, "lids[0].isOpen"),
        (#"{"name":"a","n\u0061me":"b"}"#, "name"), (#"{"weights":{"a":1,"a":2}}"#, "weights.a"),
    ])
    func `A member that is unknown or occurs twice is refused with its path`(text: String, path: String) {
        #expect(mistake(text)?.path == path)
    }

    @Test func `A refusal says what is allowed`() {
        #expect(mistake(#"{"color":"blue"}"#)?.description == "color: must be one of 'red', 'green', and is 'blue'")
        #expect(mistake(#"{"count":10}"#)?.description == "count: must be 0 to 9, and is 10")
        #expect(mistake(#"{"count":1.5}"#)?.description == "count: must be a whole number, and is 1.5")
        #expect(mistake(#"{"lids":[{}]}"#)?.description == "lids[0].isOpen: this member is required")
        #expect(
            mistake(#"{"lids":[{"isOpen":true,"x":1}]}"#)?.description
                == "lids[0].x: there is no such member; 'lids[0]' has isOpen")
        #expect(
            mistake(#"{"x":1}"#)?.description
                == "x: there is no such member; the document has name, color, count, small, wide, share, lids, weights")
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", #"{"name""#, #"{"name":}"#, #"{"name":"a",}"#, #"{"name":"a"}x"#, #"{name:"a"}"#,
        #"{'name':'a'}"#, #"{"name":"a"#, #"{"name":"\x"}"#, #"{"name":"\u12"}"#, #"{"name":"\ud83d"}"#,
        #"{"name":"\ud83dA"}"#, #"{"name":"\ude00"}"#, "{\"name\":\"a\nb\"}", #"{"count":01}"#, #"{"count":1.}"#,
        #"{"count":.5}"#, #"{"count":+1}"#, #"{"count":1e}"#, #"{"count":-}"#, #"{"count":0x1}"#, #"{"count":NaN}"#,
        #"{"count":tru}"#, "{\"count\":1}\u{0}", "// {}\n{}", "\u{FEFF}{}", "7", "[]", "null", #""text""#,
    ])
    func `What is not a JSON object is refused`(text: String) {
        #expect(mistake(text) != nil)
    }

    @Test func `Text that is not UTF-8 is refused`() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] {
            let text = Array(#"{"name":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(throws: InvalidDocument.self) { try StrictJSON.decode(Box.self, from: text) }
        }
    }

    @Test func `A document that is too long is refused without being parsed`() {
        let long = #"{"name":""# + String(repeating: "x", count: 10 << 20) + #""}"#
        #expect(mistake(long)?.reason.contains("at most 1048576") == true)
        let longest = #"{"name":""# + String(repeating: "x", count: StrictJSON.longest - 11) + #""}"#
        #expect(mistake(longest) == nil)
    }

    @Test func `A document that is too deep is refused where it becomes so`() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let deep = String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
            #expect(mistake(#"{"lids":\#(deep)}"#)?.reason.contains("more than 32") == true)
            #expect(mistake(deep)?.reason.contains("more than 32") == true)
        }
    }

    @Test func `What a peer has written acts on nothing that shows a refusal`() {
        let told = mistake("{\"color\":\"\u{202E}\\u001b[2J\", \"a\u{2028}\":1}")?.description ?? ""
        #expect(!told.isEmpty && !told.hasUnprintable)
        let name = mistake("{\"a\u{202E}\\u001b\":1}")?.description ?? ""
        #expect(name.contains("no such member") && !name.hasUnprintable)
        #expect((mistake("{\"\(String(repeating: "x", count: 5000))\":1}")?.description.count ?? 9999) < 400)
    }
}
