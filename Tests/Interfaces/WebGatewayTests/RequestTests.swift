import AuditLog
import CaptureModel
import NIOCore
import RigSecurity
import RigWire
import Testing

@testable import WebGateway

@Suite struct FileTypeTests {
    @Test("Serves every raw file of cameras as an image of its maker's format, and no other than a DNG as a DNG")
    func raw() {
        var types: [String: CameraRawFormat] = [:]
        for format in CameraRawFormat.allCases {
            let type = FileRoutes.type(of: "node1.cam1/\(AssetKind.cameraRaw(format).fileName)")
            #expect(type.hasPrefix("image/x-"), "\(format)")
            #expect((type == "image/x-adobe-dng") == (format == .dng))
            // Formats without a type of the maker share one.
            if type != "image/x-raw" { #expect(types.updateValue(format, forKey: type) == nil, "\(format)") }
        }
        #expect(FileRoutes.type(of: "node1.cam1/cameraRaw.nef") == "image/x-nikon-nef")
    }
}

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-99", 0..<100), ("bytes=100-", 100..<1000), ("bytes=-1", 999..<1000), ("bytes=-5000", 0..<1000),
            ("bytes=999-5000", 999..<1000), ("BYTES=0-0", 0..<1), ("bytes= 5-6", 5..<7),
        ] as [(String, Range<Int64>)])
    func `One range of bytes is read`(text: String, range: Range<Int64>) throws {
        #expect(try #require(ByteRange(text)).range(of: 1000) == range)
    }

    @Test(arguments: ["bytes=1000-", "bytes=5000-6000", "bytes=-0"])
    func `A range behind the end names no byte`(text: String) throws {
        #expect(try #require(ByteRange(text)).range(of: 1000) == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=9-3", "bytes=a-b", "bytes=0-1,3-4", "bytes=--1", "lines=0-1",
        "bytes=0x1-2",
        "bytes=99999999999999999999-",
    ])
    func `What is no such range is not one`(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test func `An empty file has no range, whatever is asked`() throws {
        #expect(try #require(ByteRange("bytes=0-")).range(of: 0) == nil)
        #expect(try #require(ByteRange("bytes=-5")).range(of: 0) == nil)
        #expect(try #require(ByteRange("bytes=0-\(Int64.max)")).range(of: 10) == 0..<10)
    }
}

@Suite struct EntityTagsTests {
    private let digest = String(repeating: "0a", count: 32)

    private func read(_ field: String) -> [String]? {
        switch EntityTags(field) {
        case .any: ["*"]
        case .these(let tags): tags.map { "\($0.isWeak ? "W/" : "")\"\($0.opaque)\"" }
        case nil: nil
        }
    }

    @Test func `Entity tags are read as RFC 9110 has them`() {
        #expect(read("*") == ["*"] && read(" * ") == ["*"])
        #expect(read(#""a""#) == [#""a""#] && read(#""""#) == [#""""#])
        #expect(read(#"W/"a" , "b,c"\#t,, "*""#) == [#"W/"a""#, #""b,c""#, #""*""#])
        #expect(read(#", "a","#) == [#""a""#])
    }

    @Test(arguments: [
        "", " ", ",", "a", #""a"#, #"a""#, #""a" "b""#, #""a"b"#, #"* , "a""#, #""a", *"#, "**", #"w/"a""#, #"W/ "a""#,
        #""a b""#,
    ])
    func `What is not a list of entity tags is none`(field: String) {
        #expect(EntityTags(field) == nil)
    }

    @Test func `A version is compared strongly and as it is written`() throws {
        func version(_ field: String) -> ContentDigest? {
            guard case .these(let tags) = EntityTags(field) else { return nil }
            return tags.first?.version
        }
        #expect(version("\"\(digest)\"") == ContentDigest(digest))
        #expect(version("W/\"\(digest)\"") == nil)
        #expect(version("\"\(digest.uppercased())\"") == nil)
        #expect(version("\"\(digest)-preview\"") == nil)
    }
}

@Suite struct RequestCredentialsTests {
    private let secret = SessionSecret()

    private func session(_ authorization: String?, _ cookies: String...) -> SessionSecret? {
        RequestCredentials(authorization: authorization, cookies: cookies)?.session
    }

    @Test func `A session is read from the header or the cookie`() {
        #expect(session("Bearer \(secret.text)") == secret)
        #expect(session("bearer \(secret.text)") == secret)
        #expect(session(nil, "a=b; caprig-session=\(secret.text); c=d") == secret)
        #expect(session(nil, "a=b", "caprig-session=\(secret.text)") == secret)
    }

    @Test func `The header goes before the cookie, also if it is wrong`() {
        let other = SessionSecret()
        #expect(session("Bearer \(other.text)", "caprig-session=\(secret.text)") == other)
        #expect(session("Basic YTpi", "caprig-session=\(secret.text)") == nil)
    }

    @Test func `It is known whether the session came as a cookie`() {
        let text = secret.text
        #expect(RequestCredentials(authorization: "Bearer \(text)", cookies: [])?.isCookie == false)
        #expect(RequestCredentials(authorization: nil, cookies: ["caprig-session=\(text)"])?.isCookie == true)
        #expect(RequestCredentials(authorization: nil, cookies: ["__Host-caprig-session=\(text)"])?.isCookie == true)
    }

    @Test(arguments: ["", "caprig-session", "caprig-session=", "caprig-session=x", "xcaprig-session=", "=;=;;"])
    func `Without a session there is none`(cookie: String) {
        #expect(session(nil, cookie) == nil)
        #expect(session(nil, "my-caprig-session=\(secret.text)") == nil)
    }
}

@Suite struct OwnOriginsTests {
    private let origins = OwnOrigins(
        port: 7780, names: ["studio"], further: ["Rig.Example", "rig.example:8443"],
        transport: .loopback(isBehindTLS: true))

    @Test(arguments: [
        "127.0.0.1:7780", "localhost:7780", "LOCALHOST:7780", "[::1]:7780", "rig.example", "rig.example:8443",
    ])
    func `The gateway answers to its own names`(host: String) {
        #expect(origins.refusal(host: host, origin: nil) == nil)
        let (own, other) = host.lowercased().hasPrefix("rig") ? ("https", "http") : ("http", "https")
        #expect(origins.refusal(host: host, origin: "\(own)://\(host)") == nil)
        #expect(origins.refusal(host: host, origin: "\(other)://\(host)")?.code == "foreignOrigin")
    }

    @Test(arguments: [
        ("rig.example.", "https://rig.example"), ("rig.example:443", "https://rig.example"),
        ("RIG.example.:443", "https://rig.example:443"), ("rig.example", "https://Rig.example."),
        ("rig.example.:8443", "https://rig.example:8443"), ("localhost.:7780", "http://localhost:7780"),
    ])
    func `A dot at the end of a name and the usual port make no difference`(host: String, origin: String) {
        #expect(origins.refusal(host: host, origin: origin) == nil)
    }

    @Test func `A refusal names the host that came and what mends it`() throws {
        let refusal = try #require(origins.refusal(host: "rig.example:9000", origin: nil))
        #expect(refusal.detail.contains("'rig.example:9000'") && refusal.detail.contains("--host rig.example:9000"))
        #expect(refusal.detail.contains("proxy_set_header Host $http_host"))
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:80", "evil.example:7780", "", "rig.example.evil", "rig.example:80", "rig.example:x",
        "rig.example:", "rig.example..", "[::1", "::1",
    ])
    func `It does not answer to others, to which somebody's name may point`(host: String) {
        #expect(origins.refusal(host: host, origin: nil)?.status == 421)
    }

    private static func speakingTLS(port: Int) -> OwnOrigins {
        OwnOrigins(
            port: port, names: ["Studio"], further: ["rig.example"],
            transport: .tls(.files(certificate: "c", privateKey: "k")))
    }

    @Test(arguments: [
        "studio:7780", "rig.example:7780", "rig.example", "192.0.2.7:7780", "[2001:db8::7]:7780", "localhost:7780",
    ])
    func `A gateway with TLS answers to names of its machine and to addresses`(host: String) {
        let origins = Self.speakingTLS(port: 7780)
        #expect(origins.refusal(host: host, origin: "https://\(host)") == nil)
        #expect(origins.refusal(host: host, origin: "http://\(host)")?.code == "foreignOrigin")
    }

    @Test(arguments: [
        "studio", "192.0.2.7", "192.0.2.7:80", "[192.0.2.7]:7780", "2001:db8::7:7780", "evil.example:7780", ":7780",
    ])
    func `It does not answer to an address with another port, nor to what is none`(host: String) {
        #expect(Self.speakingTLS(port: 7780).refusal(host: host, origin: nil)?.status == 421)
    }

    @Test(arguments: ["studio", "192.0.2.7", "[2001:db8::7]", "studio:443"])
    func `The usual port of HTTPS need not be written`(host: String) {
        #expect(Self.speakingTLS(port: 443).refusal(host: host, origin: "https://\(host)") == nil)
    }

    @Test(arguments: ["null", "https://evil.example", "localhost:7780", "https://localhost:7780.evil.example", ""])
    func `A page of another origin is refused`(origin: String) {
        #expect(origins.refusal(host: "localhost:7780", origin: origin)?.code == "foreignOrigin")
    }
}

@Suite struct PictureHeaderTests {
    private static func frame(
        _ number: UInt64, epoch: Epoch = .random(), drops: UInt64 = 0, rig: FrameRigTime? = nil
    ) throws -> FrameHeader {
        var dropped = OutputDrops()
        dropped.superseded = drops
        return FrameHeader(
            topic: FrameTopic(device: try DeviceID("node1/cam1"), kind: .preview), epoch: epoch, number: number,
            sequence: 1,
            midExposure: LocalTime(nanoseconds: 5), stampBound: .zero, exposure: nil,
            dequeued: LocalTime(nanoseconds: 6),
            published: LocalTime(nanoseconds: 7), rig: rig, width: 0x1234, height: 0x5678, orientation: .degrees90,
            isMirrored: true, drops: dropped)
    }

    private func header(rig: FrameRigTime?) throws -> PictureHeader {
        PictureHeader(try Self.frame(10, rig: rig), dropped: 9)
    }

    @Test func `The header of a picture is as documented, byte by byte`() throws {
        let time = BoundedRigTime(time: RigTime(nanoseconds: 0x0102_0304_0506_0708), bound: .nanoseconds(0x11))
        let rig = FrameRigTime(clock: RigClockID(rawValue: "a"), midExposure: time, clockBound: .zero)
        var buffer = ByteBuffer()
        try header(rig: rig).write(camera: 0x0203, after: 7, to: &buffer)
        let expected: [UInt8] = [
            1, 3, 0x03, 0x02, 0x34, 0x12, 0x78, 0x56, 90, 0, 0, 0, 2, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0x11, 0, 0, 0, 0,
            0, 0, 0,
        ]
        #expect(Array(buffer.readableBytesView) == expected && expected.count == PictureHeader.byteCount)
    }

    @Test func `A picture without rig time says so, and the first one has dropped none`() throws {
        var buffer = ByteBuffer()
        try header(rig: nil).write(camera: 0, after: nil, to: &buffer)
        let bytes = Array(buffer.readableBytesView)
        #expect(bytes[1] == 1 && bytes[12...].allSatisfy { $0 == 0 })
    }

    @Test func `What a node drops counts, and what does not arrive, and not that it begins again`() throws {
        let (first, second) = (Epoch.random(), Epoch.random())
        var losses = PictureLosses()
        for (number, epoch, drops) in [(5, first, 0), (6, first, 2), (9, first, 0), (1, second, 0), (2, second, 1)]
            as [(UInt64, Epoch, UInt64)]
        {
            losses.add(try Self.frame(number, epoch: epoch, drops: drops))
        }
        #expect(losses.total == 2 + 2 + 1)
    }
}

@Suite struct AuditCursorTests {
    @Test(arguments: [(UInt64(1), Int64(1)), (1 << 53, 64 << 20), (518, 300_000)])
    func `A cursor comes back as the place that it stands for`(file: UInt64, end: Int64) throws {
        let cursor = AuditCursor(position: AuditPosition(file: file, end: end))
        #expect(try #require(AuditCursor(cursor.text)) == cursor)
    }

    @Test func `A text that is not a cursor is refused`() {
        let text = AuditCursor(position: AuditPosition(file: 518, end: 300)).text
        let beyond = AuditCursor(position: AuditPosition(file: 518, end: 1 << 40)).text
        let before = AuditCursor(position: AuditPosition(file: 0, end: 300)).text
        let other = "B" + text.dropFirst()
        for nonsense in ["", "x", text + "A", text + "=", String(text.dropLast()), other, beyond, before, "AAAA"] {
            #expect(AuditCursor(nonsense) == nil, "\(nonsense)")
        }
    }
}
