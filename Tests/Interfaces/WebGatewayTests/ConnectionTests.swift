import CaptureModel
import NIOCore
import NIOHTTP1
import RigSecurity
import Testing

@testable import WebGateway

/// Seconds after the beginning of a test.
private func after(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

@Suite struct ConnectionStagesTests {
    private var stages = ConnectionStages(at: after(0))

    private func expect(_ seconds: Int64?, _ part: ConnectionStages.Part?, line: Int = #line) {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(stages.deadline?.time == seconds.map(after), sourceLocation: location)
        #expect(stages.deadline?.part == part, sourceLocation: location)
    }

    @Test mutating func `The first head ends within 20 s of the connection, however often a byte comes`() {
        expect(20, .opening)
        stages.bytesArrived(at: after(19))
        expect(20, .opening)
    }

    @Test mutating func `A body ends within 30 s of its head, and its answer takes as long as it needs`() {
        stages.bytesArrived(at: after(1))
        stages.headRead(at: after(2))
        stages.bytesArrived(at: after(31))
        expect(32, .body)
        stages.bodyRead(at: after(31))
        expect(nil, nil)
        #expect(!stages.isReading)
    }

    @Test mutating func `Between requests a connection waits for 60 s, and a head begins with its first byte`() {
        stages.headRead(at: after(1))
        stages.bodyRead(at: after(1))
        stages.answered(at: after(100))
        expect(160, .waiting)
        stages.bytesArrived(at: after(150))
        expect(170, .head)
        stages.bytesArrived(at: after(169))
        expect(170, .head)
    }

    @Test mutating func `The body of a request that was sent ahead has its time from the answer before`() {
        stages.headRead(at: after(1))
        stages.bodyRead(at: after(1))
        stages.headRead(at: after(2))
        expect(nil, nil)
        stages.answered(at: after(50))
        expect(80, .body)
    }

    @Test mutating func `A write that a client does not take ends after 60 s, counted again from each that it takes`() {
        stages.headRead(at: after(0))
        stages.bodyRead(at: after(0))
        stages.writeBegan(at: after(10))
        stages.writeBegan(at: after(40))
        expect(70, .answer)
        stages.writeEnded(at: after(60))
        expect(120, .answer)
        stages.writeEnded(at: after(90))
        expect(nil, nil)
    }

    @Test mutating func `Another protocol has its own limits`() {
        stages.headRead(at: after(0))
        stages.switchedProtocol()
        expect(nil, nil)
        #expect(stages.isOtherProtocol)
    }
}

@Suite struct ConnectionTableTests {
    private var table = ConnectionTable()
    private let session = SessionSecret()
    private var now = LocalTime(nanoseconds: 0)

    /// Opens connections, after the others have been open for longer than each may be.
    /// - Returns: Which of them, or of those before, ended, and why.
    private mutating func open(_ count: Int, _ source: ConnectionTable.Source) -> [End] {
        (0..<count).compactMap { _ in
            now = now + ConnectionTable.grace
            return end(table.opened(source, at: now).surplus)
        }
    }

    private mutating func end(_ surplus: ConnectionTable.Surplus?) -> End? {
        guard let surplus else { return nil }
        #expect(surplus.wait == .zero)
        return table.end(surplus.number).map { End(surplus.number, $0) }
    }

    private struct End: Equatable {
        let number: ConnectionTable.Number
        let limit: ConnectionTable.Limit

        init(_ number: ConnectionTable.Number, _ limit: ConnectionTable.Limit) {
            (self.number, self.limit) = (number, limit)
        }
    }

    @Test mutating func `One address has 64 connections without a session, and the oldest ends`() {
        #expect(open(64, .machine(1)).isEmpty)
        #expect(open(2, .machine(1)) == [End(1, .ofAddress), End(2, .ofAddress)])
        #expect(open(64, .machine(2)).isEmpty)
    }

    @Test mutating func `Of this machine and proxies, 256 requests without a session are read at a time`() {
        #expect(open(256, .trusted).isEmpty)
        #expect(open(1, .trusted) == [End(1, .beingRead)])
        // One that is answered is read no longer, and leaves its place to another.
        table.wasRead(2)
        #expect(open(1, .trusted).isEmpty)
    }

    @Test mutating func `Each connection is open for 200 ms, and those that come at once end in their order`() throws {
        let surplus = (0..<300).compactMap { _ in table.opened(.trusted, at: now).surplus }
        #expect(surplus.map(\.number) == Array(1...44))
        #expect(surplus.allSatisfy { $0.wait == .milliseconds(200) })
        let later = table.opened(.trusted, at: now + .milliseconds(150)).surplus
        #expect(later == .init(number: 45, wait: .milliseconds(50)))
        #expect(table.count == 301)
    }

    @Test mutating func `A connection that was to end stays if its request was read or shows a session by then`() {
        let surplus = (0..<259).compactMap { _ in table.opened(.trusted, at: now).surplus }
        #expect(surplus.map(\.number) == [1, 2, 3])
        #expect(table.began(1, session: session, isConfirmed: true, at: now) == nil)
        table.wasRead(2)
        #expect(table.end(1) == nil)
        #expect(table.end(2) == nil)
        #expect(table.end(3) == .beingRead)
        #expect(table.end(3) == nil)
        #expect(table.count == 258)
    }

    @Test mutating func `A session keeps its connection whatever strangers do`() {
        let number = table.opened(.trusted, at: now).number
        #expect(table.began(number, session: session, isConfirmed: true, at: now) == nil)
        for address in UInt32(1)...100 { _ = open(30, .machine(address)) }
        #expect(!open(300, .trusted).contains { $0.number == number })
        #expect(table.waits(number, at: now) == nil)
        #expect(table.count <= ConnectionTable.strangers + 1)
    }

    @Test mutating func `A session that the coordinator confirms later is a stranger's until then`() {
        let number = table.opened(.machine(1), at: now).number
        _ = table.began(number, session: session, isConfirmed: false, at: now)
        table.confirmed(session)
        #expect(!open(65, .machine(1)).contains { $0.number == number })
    }

    @Test mutating func `Where strangers of all addresses are too many, one of the address that has most ends`() {
        for address in UInt32(1)...20 { #expect(open(24, .machine(address)).isEmpty) }
        #expect(open(32, .machine(99)).isEmpty)
        // The 33 of address 99 came after 480.
        #expect(open(1, .machine(100)) == [End(481, .strangers)])
    }

    @Test func `Addresses of one network are one source, and mapped addresses are those that they map`() {
        let source = { (text: String) in ConnectionTable.Source(IPAddress(text), isTrusted: false) }
        #expect(source("2001:db8:0:1::1") == source("2001:db8:0:1:ffff::2"))
        #expect(source("2001:db8:0:1::1") != source("2001:db8:0:2::1"))
        #expect(source("::ffff:192.0.2.1") == source("192.0.2.1"))
        #expect(source("192.0.2.1") == .machine(0xC000_0201))
    }
}

@Suite struct RequestTargetTests {
    private func read(
        _ target: String, _ fields: [(String, String)], version: HTTPVersion = .http1_1
    ) throws -> String {
        var head = HTTPRequestHead(version: version, method: .GET, uri: target, headers: HTTPHeaders(fields))
        try head.readTarget()
        return head.uri
    }

    @Test func `A path stays, and an address of the same host becomes one`() throws {
        let host = [("Host", "rig.example:80")]
        #expect(try read("/api/v1/rig?x=1", host) == "/api/v1/rig?x=1")
        #expect(try read("http://rig.example:80/api/v1/rig?x=1", host) == "/api/v1/rig?x=1")
        #expect(try read("HTTP://RIG.example:80?x=1", host) == "/?x=1")
        #expect(try read("*", host) == "*")
        #expect(try read("/", [], version: .http1_0) == "/")
    }

    @Test(arguments: [
        ("/", [("Host", "rig.example"), ("Host", "evil.example")]), ("/", [("Host", "a"), ("host", "a")]), ("/", []),
        ("http://evil.example/", [("Host", "rig.example")]), ("http:///", [("Host", "")]),
        ("rig.example:80", [("Host", "rig.example:80")]), ("ftp://rig.example/", [("Host", "rig.example")]),
        ("/", [("Host", "a"), ("Origin", "http://a"), ("Origin", "http://b")]),
        ("/", [("Host", "a"), ("Authorization", "Bearer x"), ("Authorization", "Bearer y")]),
        ("/", [("Host", "a"), ("Caprig-Request", "0"), ("Caprig-Request", "1")]),
    ])
    func `A request that does not say clearly for whom it is is refused`(target: String, fields: [(String, String)]) {
        #expect { try read(target, fields) } throws: { ($0 as? GatewayProblem)?.status == 400 }
    }
}
