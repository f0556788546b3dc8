import CaptureModel
import FoundationEssentials
import RigSecurity
import Testing

@Suite struct JoinCodeTests {
    // The example of docs/protocol/join-code.md, which a program of its own made from that page alone.
    private static let literal =
        "caprig1-3drchjpcsv8d5n6pv3ddsqq0wbjec0g40r40m30e209185gr38e1w8124gk2gahc5rr34d1p70x3rfj00g8dh"
        + "jpcx1dc5s6t1kkehtp8tbf0c2c1a0a04f261h0046vg00000000000000000073rhg223gd4q6rvv3c5p00m27e7hmj5g"

    @Test func `The documented form is the one that is written`() throws {
        let code = try JoinCode(
            endpoints: [
                JoinEndpoint("192.168.10.1:7715"), JoinEndpoint("[2001:db8::7]:7715"), JoinEndpoint("pi.local:80"),
            ],
            coordinator: #require(PublicKey(bytes: Array(UInt8(1)...32))),
            token: #require(JoinToken(bytes: Array(UInt8(100)..<116))), name: KeyName("left-arm"), role: .node,
            rig: RigName("studio"))
        #expect(code.text == Self.literal)
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/protocol/join-code.md")
        #expect(try String(contentsOf: page, encoding: .utf8).contains("\n\(code.text)\n"))
        #expect(try JoinCode(Self.literal) == code)
    }

    @Test(arguments: 0..<200) func `A code that is read again is the same`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let endpoints = try (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            let host: JoinHost =
                switch generator.next() % 3 {
                case 0: .address(.v4(UInt32.random(in: 1...UInt32.max, using: &generator)))
                case 1: .address(.v6(high: generator.next(), low: generator.next() | 1))
                default: .name(try #require(HostName("host-\(generator.next()).example")))
                }
            return try JoinEndpoint(host: host, port: UInt16.random(in: 1...UInt16.max, using: &generator))
        }
        let code = try JoinCode(
            endpoints: endpoints, coordinator: Samples.key(seed), token: JoinToken(using: &generator),
            name: KeyName(String(repeating: "n", count: Int.random(in: 1...24, using: &generator))),
            role: #require(Role.allCases.randomElement(using: &generator)),
            rig: RigName(String(repeating: "r", count: Int.random(in: 1...24, using: &generator))))
        #expect(code.text.count <= JoinCode.longest)
        #expect(code.text.allSatisfy { $0 == "-" || ($0.isASCII && ($0.isLowercase || $0.isNumber)) })
        #expect(try JoinCode(code.text) == code)
    }

    @Test func `Every change of one character is refused`() throws {
        let text = Array(try Samples.code().text)
        for position in text.indices {
            for other in (UInt8(0x21)...0x7E).map({ Character(UnicodeScalar($0)) }) {
                guard reading(other) != reading(text[position]) else { continue }
                var changed = text
                changed[position] = other
                let error = failure { _ = try JoinCode(String(changed)) }
                let code = try #require(error?.code)
                switch position {
                case 0..<6: #expect([.notACode, .cutOff].contains(code))
                case 6: #expect([.mistyped, .newerVersion].contains(code))
                default: #expect([.mistyped, .cutOff].contains(code))
                }
                // Only what is removed from the ends of a pasted text can look like a missing end.
                #expect(code != .cutOff || position == text.indices.last || "0123456789".contains(other))
                #expect(error?.description.isSentence == true)
            }
        }
    }

    @Test func `Every code that is cut off at its end is called so`() throws {
        let text = try Samples.code().text
        for length in 1..<text.count {
            let error = failure { _ = try JoinCode(String(text.prefix(length))) }
            #expect(error?.code == .cutOff, "\(length)")
            #expect(error?.description.hasPrefix("the code is cut off: ") == true)
            #expect(error?.description.hasSuffix("copy all of it") == true)
        }
    }

    @Test func `A code with two characters exchanged or one doubled is refused`() throws {
        let text = Array(try Samples.code().text)
        for position in text.indices.dropLast() where text[position] != text[position + 1] {
            var exchanged = text
            exchanged.swapAt(position, position + 1)
            #expect(failure { _ = try JoinCode(String(exchanged)) } != nil)
        }
        for position in text.indices {
            var doubled = text
            doubled.insert(text[position], at: position)
            #expect(failure { _ = try JoinCode(String(doubled)) } != nil)
        }
    }

    @Test func `A code without its beginning is not recognized`() throws {
        let text = try Samples.code().text
        for count in 1..<text.count {
            let error = failure { _ = try JoinCode(String(text.dropFirst(count))) }
            #expect(error?.code == .notACode || (error?.code == .cutOff && count == text.count - 1))
        }
    }

    @Test func `What chat programs and people do to a code does not matter`() throws {
        let code = try Samples.code()
        let text = code.text
        let half = text.index(text.startIndex, offsetBy: 60)
        let ohs = "caprig1-" + text.dropFirst(8).replacing("0", with: "O").replacing("1", with: "l")
        for pasted in [
            " \(text)\n", "`\(text)`", "<\(text)>", "“\(text)”", "\(text).", text.uppercased(),
            "Caprig1-" + text.dropFirst(8), "\(text[..<half])\n    \(text[half...])", "\u{FEFF}\(text)\u{200B}", ohs,
            "\(text[..<half])\u{200B}\(text[half...])",
        ] {
            #expect(try JoinCode(pasted) == code)
        }
    }

    @Test func `A code of a later version asks for a newer program`() throws {
        let body = try Samples.code().text.dropFirst(8)
        for version in ["2", "10", "9999"] {
            let error = failure { _ = try JoinCode("caprig\(version)-\(body)") }
            #expect(error?.code == .newerVersion)
            #expect(error?.description.contains("needs a newer capctl") == true)
            #expect(error?.description.contains("version \(version),") == true)
        }
        for version in ["0", "10000", "99999999999999999999", "x", ""] {
            #expect(failure { _ = try JoinCode("caprig\(version)-\(body)") }?.code == .mistyped)
        }
    }

    @Test(
        "A text that is not a code is not taken for a damaged one",
        arguments: ["", " ", "left-arm", "tcp://192.168.10.1:7710", "caprog1-", "-", "🦀", "SHA256:abcdefgh", "\u{0}"])
    func others(text: String) {
        let error = failure { _ = try JoinCode(text) }
        #expect(error?.code == .notACode)
        #expect(error?.description.contains("begins with caprig1-") == true)
    }

    @Test func `A text that is longer than any code is refused`() {
        let error = failure { _ = try JoinCode("caprig1-" + String(repeating: "0", count: 100_000)) }
        #expect(error?.code == .tooLong)
    }

    @Test func `A code has at least one endpoint, and a limited size`() throws {
        #expect(failure { _ = try Samples.code(endpoints: []) }?.code == .tooLong)
        let nine = (1...9).map { "192.0.2.\($0):1" }
        #expect(failure { _ = try Samples.code(endpoints: nine) }?.code == .tooLong)
        #expect(try Samples.code(endpoints: Array(nine.dropLast())).endpoints.count == 8)
        let long = String(repeating: "a", count: 253)
        #expect(try JoinCode(Samples.code(endpoints: ["\(long):1"]).text).endpoints.count == 1)
        let error = failure { _ = try Samples.code(endpoints: ["\(long):1", "\(long):2"]) }
        #expect(error?.code == .tooLong)
        #expect(error?.description.contains("fewer endpoints") == true)
    }

    @Test func `Random texts never end the program`() {
        var generator = SplitMix64(seed: 3)
        let alphabet = Array("caprig1-0123456789abcdefghjkmnpqrstvwxyz")
        for _ in 0..<5000 {
            let count = Int.random(in: 0...80, using: &generator)
            let noise = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            #expect(failure { _ = try JoinCode("caprig1-" + String(noise)) } != nil)
        }
    }

    @Test func `A log does not contain the secret`() throws {
        let code = try Samples.code()
        for text in ["\(code)", String(reflecting: code), "\(code.token)", String(reflecting: code.token)] {
            #expect(!text.contains(code.text.dropFirst(11).prefix(8)) && !text.contains("["))
        }
        #expect("\(code)" == "a join code of rig 'studio' for node 'left-arm'")
        var dumped = ""
        dump(code, to: &dumped)
        dump(code.token, to: &dumped)
        #expect(!dumped.contains("bytes"))
    }

    /// The character as it is read, if case and look-alikes do not matter.
    private func reading(_ character: Character) -> Character {
        let lower = Character(character.lowercased())
        return ["o": "0", "i": "1", "l": "1"][lower] ?? lower
    }
}

extension String {
    fileprivate var isSentence: Bool {
        count > 20 && (contains("copy") || contains("update") || contains("begins with"))
    }
}

extension Samples {
    static func code(
        seed: UInt64 = 1, endpoints: [String] = ["192.168.10.1:7715", "[2001:db8::7]:7715", "studio.local:7715"],
        role: Role = .node
    ) throws -> JoinCode {
        var generator = SplitMix64(seed: seed)
        return try JoinCode(
            endpoints: endpoints.map { try JoinEndpoint($0) }, coordinator: key(seed),
            token: JoinToken(using: &generator), name: KeyName("left-arm"), role: role, rig: RigName("studio"))
    }
}
