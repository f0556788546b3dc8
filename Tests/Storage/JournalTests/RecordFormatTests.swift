import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import Testing

@testable import Journal

/// The bytes of a journal. Disks hold them, so a test here that fails says that the format needs another version.
@Suite struct RecordFormatTests {
    private let position = EventPosition(epoch: Epoch(rawValue: 0x00f3_a1c2_b4d5_e697) ?? .random(), sequence: 42)

    private func text(_ record: EventRecord) -> String { String(decoding: record.bytes, as: UTF8.self) }

    private func event() throws -> RigEvent {
        RigEvent(
            EventName(rawValue: "capture.didFinishCapture"), realtimeNanoseconds: 1_795_566_780_314_879_406,
            local: LocalTime(nanoseconds: 5_003_608_747_123_570),
            rig: BoundedRigTime(time: RigTime(nanoseconds: -7), bound: .nanoseconds(406_416)),
            device: try DeviceID("node1/cam2"), shot: ShotID("01a2101e-bea8-74f2-a989-abddb6ad9d91"),
            details: ["code": "deviceLost", "error": "it went\naway \"/dev/video0\""])
    }

    @Test("Writes each kind of record with the bytes that disks hold")
    func records() {
        #expect(
            text(EventRecord(kind: .event, position: position, document: Array("{}".utf8)))
                == "CEJ2 0000001c b250d2ea event 00f3a1c2b4d5e697 42 {}\n")
        #expect(
            text(EventRecord(kind: .opening, position: position, lifetime: "a_north/cam", document: Array("{}".utf8)))
                == "CEJ2 00000028 b712ba0c opens 00f3a1c2b4d5e697 42 a_north/cam {}\n")
        #expect(
            text(EventRecord(kind: .closing, position: position, lifetime: "a_north/cam", document: Array("{}".utf8)))
                == "CEJ2 00000028 d9618a84 close 00f3a1c2b4d5e697 42 a_north/cam {}\n")
        #expect(
            text(EventRecord(kind: .acknowledgement, position: position))
                == "CEJ2 00000019 3c9397ce acked 00f3a1c2b4d5e697 42\n")
        #expect(
            text(EventRecord(kind: .beginning, position: EventPosition(epoch: position.epoch, sequence: 0)))
                == "CEJ2 00000018 d4b377a9 begun 00f3a1c2b4d5e697 0\n")
    }

    @Test("Writes a node's event document with the stored members and values")
    func document() throws {
        let expected =
            #"{"boundNs":406416,"details":{"code":"deviceLost","error":"it went\naway \"/dev/video0\""},"#
            + #""device":"node1/cam2","localNs":5003608747123570,"name":"capture.didFinishCapture","#
            + #""realtimeNs":1795566780314879406,"rigNs":-7,"shot":"01a2101e-bea8-74f2-a989-abddb6ad9d91"}"#
        let bytes = JournalEventDocument(try event()).bytes
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(try JournaledEvent(position: position, document: Array(expected.utf8)).event() == event())
        let least = #"{"localNs":2,"name":"device.running","realtimeNs":1}"#
        let plain = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 2))
        #expect(String(decoding: JournalEventDocument(plain).bytes, as: UTF8.self) == least)
        #expect(try JournaledEvent(position: position, document: Array(least.utf8)).event() == plain)
    }

    @Test("Writes the source into the document of a feed event")
    func feedDocument() throws {
        let plain = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 2))
        let source = NumberedEvent(epoch: position.epoch, sequence: 9, event: plain)
        let text =
            #"{"localNs":2,"name":"device.running","node":"north","realtimeNs":1,"sourceEpoch":"00f3a1c2b4d5e697","#
            + #""sourceSequence":9}"#
        #expect(
            String(decoding: JournalEventDocument(source, from: try NodeName("north")).bytes, as: UTF8.self) == text)
        let told = try JournaledEvent(position: position, document: Array(text.utf8)).feedEvent()
        #expect(
            told
                == FeedEvent(
                    coordinatorEpoch: position.epoch, sequence: 42, node: try NodeName("north"), source: source))
    }

    @Test("Refuses documents that are damaged, hostile or of another kind, with a reason")
    func unreadable() {
        let texts = [
            "", "{", "[]", "null", #"{"name":"a"}"#, #"{"localNs":2,"name":"a b","realtimeNs":1}"#,
            #"{"localNs":2,"name":"a","realtimeNs":99999999999999999999}"#,
            #"{"localNs":2,"name":"a","realtimeNs":1,"rigNs":1}"#,
            #"{"boundNs":-1,"localNs":2,"name":"a","realtimeNs":1,"rigNs":1}"#,
            #"{"device":"../..","localNs":2,"name":"a","realtimeNs":1}"#,
            #"{"localNs":2,"name":"a","realtimeNs":1,"shot":"01"}"#,
            #"{"details":{"a":1},"localNs":2,"name":"a","realtimeNs":1}"#,
        ]
        for text in texts {
            let error = #expect(throws: UnreadableEvent.self, "\(text)") {
                try JournaledEvent(position: position, document: Array(text.utf8)).event()
            }
            #expect(error?.description.isEmpty == false)
        }
        let least = #"{"localNs":2,"name":"a","realtimeNs":1}"#
        #expect(throws: UnreadableEvent.self, "the feed's event has a source") {
            try JournaledEvent(position: position, document: Array(least.utf8)).feedEvent()
        }
    }

    @Test("Reads records as they were written, with every document, name and number")
    func roundTrip() {
        let documents: [[UInt8]] = [
            [], [0x0A], Array("{} CEJ2 ".utf8), [0xFF, 0x20, 0x20], Array(repeating: 7, count: 5000),
        ]
        let names = ["", "a", EventLifetime.opens("shot 1\nä").name]
        var records: [EventRecord] = []
        for document in documents {
            for name in names {
                for kind in EventRecord.Kind.allCases {
                    records.append(
                        EventRecord(
                            kind: kind, position: EventPosition(epoch: position.epoch, sequence: .max),
                            lifetime: kind.hasLife ? name : "", document: kind.isEvent ? document : []))
                }
            }
        }
        #expect(names[2] == "shot_1___")
        let (read, damaged) = EventRecord.parse(records.flatMap(\.bytes))
        #expect(read == records && damaged == 0)
    }
}

/// Journals of version 1, as programs wrote them.
@Suite struct RecordVersion1Tests {
    private let folder: TemporaryFolder
    /// A pressure event, a camera that runs, a capture that begins and one that ends, of node1.
    private static let node = """
        Q0VKMQFgRNAB1ynhYgEAAAAAAAAAfAAAAAi6nN6gg8/I9RgQ/teYt4fY8QgqDW5vZGUucHJlc3N1cmVCNQoGcmVhc29uEit0YXNrcyB3YWl0
        IGZvciBhIHByb2Nlc3NvciA5OCAlIG9mIHRoZSB0aW1lQg4KB2ZhY3RvcnMSA2NwdUIRCgVsZXZlbBIIY3JpdGljYWwQSonAQ0VKMQFgRNAB
        1ynhYgMAAAAAAAAAUAAAAAiT0t+og8/I9RgQ4Y2av4fY8QgqDmRldmljZS5ydW5uaW5nMg0KBW5vZGUxEgRjYW0xQhwKBmZvcm1hdBISTUpQ
        RyAxNDR4ODggMTUgZnBzvf/okg==
        """
    private static let begins = """
        Q0VKMQNgRNAB1ynhYggAAAAAAAAAxQAAAC8wMWEyMTAxZS1iZWE4LTc0ZjItYTk4OS1hYmRkYjZhZDlkOTEgbm9kZTEvY2FtMgiui6T5ks/I
        9RgQ8sbej5fY8QgY/putw8L4qgUgkOcYKhhjYXB0dXJlLndpbGxCZWdpbkNhcHR1cmUyDQoFbm9kZTESBGNhbTI6EAGiEB6+qHTyqYmr3bat
        nZFCDAoGaGVpZ2h0EgI4OEIcCgZmb3JtYXQSEk1KUEcgMTQ0eDg4IDE1IGZwc0IMCgV3aWR0aBIDMTQ0kOgTpQ==
        """
    private static let ends = """
        Q0VKMQRgRNAB1ynhYhEAAAAAAAAAiwAAAC8wMWEyMTAxZS1iZWE4LTc0ZjItYTk4OS1hYmRkYjZhZDlkOTEgbm9kZTEvY2FtMgifu5/Tlc/I
        9RgQ4/bZ6ZnY8QgYmeKlncX4qgUg+aIHKhhjYXB0dXJlLmRpZEZpbmlzaENhcHR1cmUyDQoFbm9kZTESBGNhbTI6EAGiEB6+qHTyqYmr3bat
        nZFtA95x
        """
    /// An event of node2 that a coordinator told, and the beginning of a coordinator.
    private static let feed = """
        Q0VKMQEeNdoLOGIt1gQAAAAAAAAAtQAAAAkeNdoLOGIt1hAEGgVub2RlMiFcGjFzSQZu1SgqMpUBCPTPzKvC0Mj1GBDCi7uOm7m4DBjm7tH1
        8fmqBSCjsgwqGGNhcHR1cmUud2lsbEJlZ2luQ2FwdHVyZTINCgVub2RlMhIEY2FtMjoQAaIQH3d2fB22XOebT29eskIcCgZmb3JtYXQSElJH
        MTAgMTQ0eDg4IDE1IGZwc0IMCgZoZWlnaHQSAjg4QgwKBXdpZHRoEgMxNDTI+En8
        """
    private static let begun = "Q0VKMQUeNdoLOGIt1gAAAAAAAAAAAAAAAMKSN7g="

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
    }

    private func journal(_ files: String...) throws -> EventJournal {
        for (number, file) in files.enumerated() {
            try Data(file.split(separator: "|").flatMap { try bytes(String($0)) })
                .write(to: URL(filePath: "\(folder.path)/0000000\(number + 1).events"))
        }
        return try reopened()
    }

    private func reopened() throws -> EventJournal {
        try EventJournal(
            folder: folder.path, epoch: try #require(Epoch(rawValue: 7)), executor: try ThreadExecutor(name: "events"))
    }

    @Test("Delivers the events of an earlier program with their numbers and values")
    func node() async throws {
        let journal = try journal([Self.node, Self.begins, Self.ends].joined(separator: "|"))
        #expect(await journal.counters.damaged == 0)
        let waiting = await journal.pending(limit: .max)
        #expect(waiting.map(\.position.sequence) == [1, 3, 8, 17])
        #expect(waiting.allSatisfy { $0.position.epoch.rawValue == 0x62e1_29d7_01d0_4460 })
        let events = try waiting.map { try $0.event() }
        #expect(
            events.map(\.name.rawValue) == [
                "node.pressure", "device.running", "capture.willBeginCapture", "capture.didFinishCapture",
            ])
        #expect(events[0].details["reason"] == "tasks wait for a processor 98 % of the time")
        #expect(events[0].rig == nil && events[0].device == nil && events[0].shot == nil)
        #expect(
            events[2]
                == RigEvent(
                    EventName(rawValue: "capture.willBeginCapture"), realtimeNanoseconds: 1_795_566_780_314_879_406,
                    local: LocalTime(nanoseconds: 5_003_608_747_123_570),
                    rig: BoundedRigTime(
                        time: RigTime(nanoseconds: 3_003_608_747_167_230), bound: .nanoseconds(406_416)),
                    device: try DeviceID("node1/cam2"), shot: ShotID("01a2101e-bea8-74f2-a989-abddb6ad9d91"),
                    details: ["width": "144", "height": "88", "format": "MJPG 144x88 15 fps"]))
        #expect(await journal.unfinished() == [], "the capture has ended")
    }

    @Test("Ends a capture that an earlier program began, in the present format")
    func lifetime() async throws {
        var journal: EventJournal? = try journal(Self.begins)
        #expect(try await journal?.unfinished().map { try $0.event().name.rawValue } == ["capture.willBeginCapture"])
        let key = "01a2101e-bea8-74f2-a989-abddb6ad9d91 node1/cam2"
        await journal?.append(document: Array("{}".utf8), lifetime: .closes(key))
        journal = nil
        #expect(try await reopened().unfinished() == [])
    }

    @Test("Replays feed events of earlier programs under their numbers, also for an epoch without events")
    func feed() async throws {
        let journal = try journal(Self.feed + "|" + Self.begun)
        let told = try await journal.pending(limit: .max).map { try $0.feedEvent() }
        #expect(told.count == 1)
        let event = try #require(told.first)
        #expect(event.coordinatorEpoch.rawValue == 0xd62d_6238_0bda_351e && event.sequence == 4)
        #expect(event.node == (try NodeName("node2")))
        #expect(event.source.epoch.rawValue == 0xd56e_0649_7331_1a5c && event.source.sequence == 42)
        #expect(event.source.event.shot?.description == "01a2101f-7776-7c1d-b65c-e79b4f6f5eb2")
        #expect(event.source.event.details["format"] == "RG10 144x88 15 fps")
        #expect(await journal.knows(EventPosition(epoch: event.coordinatorEpoch, sequence: 0)))
    }

    @Test("Continues a version 1 journal in version 2 and reads it to its end")
    func mixed() async throws {
        var journal: EventJournal? = try journal(Self.node)
        let event = RigEvent(.device(.absent), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 2))
        await journal?.begin()
        await journal?.append(event)
        journal = nil
        let next = try reopened()
        let names = try await next.pending(limit: .max).map { try $0.event().name.rawValue }
        #expect(names == ["node.pressure", "device.running", "device.absent"])
        #expect(await next.counters.damaged == 0)
    }

    @Test(
        "An event of version 1 that cannot be read keeps its number and is not an empty event",
        arguments: [
            [UInt8](), [0xFF], [0x2A, 0x7F, 0x61], [0x08, 0x01], [0x2A, 0x01, 0x61, 0x3A, 0x01, 0x00],
        ])
    func unreadable(payload: [UInt8]) async throws {
        var bytes = Array("CEJ1\u{1}".utf8) + [9, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]
        bytes += [UInt8(payload.count), 0, 0, 0] + payload
        let checksum = CRC32(Array(bytes.dropFirst(4))).value
        for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * index))) }
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/00000001.events"))
        let journal = try reopened()
        let waiting = await journal.pending(limit: .max)
        #expect(waiting.map(\.position.sequence) == [5] && waiting.map(\.document) == [payload])
        #expect(throws: UnreadableEvent.self) { try waiting[0].event() }
    }
}
