import CaptureModel
import RigDocuments
import Testing

@testable import RigClient

@Suite struct StatusDocumentTests {
    private func status(takes: [OpenTake] = []) throws -> RigStatus {
        let node = NodeStatus(
            node: try NodeName("n1"), isConnected: true, clockBound: .nanoseconds(1),
            clock: ClockStatus(
                offset: .nanoseconds(-9_007_199_254_740_993), ratePartsPerBillion: -12_345,
                roundTrip: .microseconds(120),
                shortestRoundTrip: .microseconds(80), since: RigTime(nanoseconds: 3), newest: RigTime(nanoseconds: 4),
                congestedSince: RigTime(nanoseconds: 4),
                conflict: ClockConflict(
                    reference: ClockReference(source: .ntp, identity: "utc"),
                    since: RigTime(nanoseconds: 9_007_199_254_740_993),
                    claimed: ClockConflict.Statement(offset: .seconds(37), bound: .microseconds(12)),
                    proven: ClockConflict.Statement(offset: .zero, bound: .microseconds(90)))),
            ringDepth: .nanoseconds(2),
            spoolUsedBytes: 3, spoolFreeBytes: .max, devices: 1, devicesRunning: 1, software: "1.0",
            busLibrary: BusLibrary(version: "4.3.4", isHardened: true), lastHeard: RigTime(nanoseconds: 5),
            frames: FramesStatus(
                host: "n1", port: 7713, watched: 1, published: .max, publishedBytes: 9_007_199_254_740_993, scaled: 7,
                refusedConnections: 8),
            pressure: SystemPressure(level: .fair, factors: [.cpu], reason: "tasks wait"), spoolShortage: "full")
        return RigStatus(
            rigClock: RigClockID(rawValue: "clock"), now: RigTime(nanoseconds: 9_007_199_254_740_993), nodes: [node],
            openShots: 1, takes: takes,
            hold: HoldStatus(
                RigHold(
                    holder: try #require(Principal(claimed: "anna")), note: "light", taken: RigTime(nanoseconds: 1),
                    ends: RigTime(nanoseconds: 9_007_199_254_740_993)),
                endsRealtimeNanoseconds: 1_800_000_000_000_000_001),
            libraryFreeBytes: 1 << 60, librarySilence: .seconds(2),
            libraryProblem: RigProblem(.noSpace, "the library was moved"), triggerTimeout: nil, feedPort: 7712,
            software: "1.0", busLibrary: BusLibrary(version: "4.3.4", isHardened: true),
            droppedMessages: ["control.malformed": .max], refusedConnections: ["feed.topicLimit": 2],
            coordinatorKey: nil,
            gateways: [
                GatewayStatus(
                    name: "web", address: "https://rig/", certificate: ContentDigest(bytes: 0..<32 as Range<UInt8>))
            ],
            coordinatorEpoch: try SampleIDs.epoch())
    }

    @Test("Has the members that are documented") func members() throws {
        let read = try ReadDocument(StatusDocument(try status(), devices: [try SampleDevices.camera()]))
        #expect(
            read.members() == [
                "coordinatorEpoch", "droppedMessages", "feedPort", "gateways", "hold", "libraryFreeBytes",
                "libraryProblem",
                "librarySilentNanoseconds", "libzmq", "nodes", "openShots", "refusedConnections", "rigClock",
                "rigNowNanoseconds", "software",
            ])
        #expect(read.members(of: "gateways[]") == ["address", "certificateSHA256", "name"])
        #expect(
            read.members(of: "nodes[]") == [
                "clock", "clockBoundNanoseconds", "connected", "devices", "devicesRunning", "frames",
                "lastHeardRigNanoseconds",
                "libzmq", "load", "node", "pressure", "ringDepthNanoseconds", "software", "spoolFreeBytes",
                "spoolShortage", "spoolUsedBytes",
            ])
        let clock: Set<String> = [
            "conflict", "congestedSinceRigNanoseconds", "newestRigNanoseconds", "offsetNanoseconds",
            "ratePartsPerBillion",
            "roundTripNanoseconds", "shortestRoundTripNanoseconds", "sinceRigNanoseconds", "source",
        ]
        #expect(read.members(of: "nodes[].clock") == clock)
        #expect(
            read.members(of: "nodes[].clock.conflict") == [
                "claimedBoundNanoseconds", "claimedOffsetNanoseconds", "identity", "provenBoundNanoseconds",
                "provenOffsetNanoseconds", "sinceRigNanoseconds", "source",
            ])
        #expect(read.texts("nodes[].clock.conflict.sinceRigNanoseconds") == ["9007199254740993"])
        let sync = try ReadDocument(SyncStatusDocument(try status(), devices: [try SampleDevices.camera()]))
        #expect(sync.members() == ["cameras", "nodes", "rigClock", "rigNowNanoseconds"])
        #expect(
            sync.members(of: "cameras[]") == [
                "alignment", "boundNanoseconds", "device", "periodNanoseconds", "phaseNanoseconds",
            ])
        #expect(sync.texts("cameras[].phaseNanoseconds") == ["\(Int64.max % 33_333_334)"])
        #expect(sync.members(of: "nodes[]") == ["clock", "clockBoundNanoseconds", "connected", "node"])
        #expect(sync.members(of: "nodes[].clock") == clock)
        #expect(
            read.members(of: "hold") == ["ends", "endsRigNanoseconds", "holder", "note", "takenRigNanoseconds"])
        #expect(read.texts("hold.ends") == ["2027-01-15T08:00:00.000000001Z"])
        #expect(read.texts("hold.endsRigNanoseconds") == ["9007199254740993"])
        #expect(
            read.members(of: "nodes[].load") == [
                "buses", "encodePermille", "readiness", "ringBytes", "ringLimitBytes", "streamBytesPerSecond",
            ])
        #expect(
            read.members(of: "nodes[].load.buses[]") == ["bytesPerSecond", "limitBytesPerSecond", "number"])
    }

    @Test("Writes as numbers only what is small") func numbers() throws {
        let read = try ReadDocument(StatusDocument(try status(), devices: [try SampleDevices.camera()]))
        #expect(
            read.numbers == [
                "feedPort", "openShots", "nodes[].clock.ratePartsPerBillion", "nodes[].devices",
                "nodes[].devicesRunning", "nodes[].load.encodePermille",
                "nodes[].load.buses[].number",
            ])
        #expect(read.texts("coordinatorEpoch") == ["0123456789abcdef"])
        #expect(read.texts("rigNowNanoseconds") == ["9007199254740993"])
        #expect(read.texts("libraryFreeBytes") == ["1152921504606846976"])
        #expect(read.texts("nodes[].spoolFreeBytes") == ["9223372036854775807"])
        #expect(read.texts("droppedMessages.control.malformed") == ["18446744073709551615"])
        #expect(read.texts("nodes[].load.buses[].bytesPerSecond") == ["30000000"])
    }

    @Test("Counts what nodes have published, and sizes each kind of picture") func frames() throws {
        let read = try ReadDocument(FramesInfoDocument(try status().nodes, cameras: [try SampleDevices.camera()]))
        #expect(
            read.members(of: "nodes[]") == [
                "endpoint", "node", "published", "publishedBytes", "refusedConnections", "scaled", "watched",
            ])
        #expect(
            read.members(of: "streams[]") == [
                "device", "endpoint", "framesPerSecond", "height", "kind", "state", "topic", "width",
            ])
        #expect(
            read.numbers == [
                "nodes[].watched", "streams[].framesPerSecond", "streams[].height", "streams[].width",
            ])
        #expect(read.texts("nodes[].published") == ["18446744073709551615"])
        #expect(read.texts("nodes[].publishedBytes") == ["9007199254740993"])
    }

    @Test("Shows what the cameras of a take have recorded, until it is stopped") func recording() throws {
        let take = OpenTake(
            id: try SampleIDs.shot(), time: RigTime(nanoseconds: 9_007_199_254_000_000), stopTime: nil,
            captures: CaptureCounts(expected: 1, captured: 1), marks: 2)
        let cameras = [try SampleDevices.camera()]
        let read = try ReadDocument(
            RecordStatusDocument(TakeProgress.all(try status(takes: [take]), devices: cameras)))
        #expect(
            read.members(of: "takes[]") == [
                "cameras", "captured", "done", "elapsedNanoseconds", "expected", "failed", "id", "isStopped", "marks",
                "missed", "partial",
            ])
        #expect(read.texts("takes[].elapsedNanoseconds") == ["740993"])
        #expect(read.texts("takes[].cameras[].byteCount") == ["9007199254740993"])
        #expect(read.texts("takes[].cameras[].durationNanoseconds") == ["3000000000"])
        let counts: Set<String> = [
            "captured", "done", "expected", "failed", "marks", "missed", "partial", "cameras[].frames",
            "cameras[].segmentNumber",
        ]
        #expect(read.numbers == Set(counts.map { "takes[].\($0)" }))
        var stopped = take
        stopped.stopTime = take.time + .seconds(-1)
        #expect(TakeProgress.all(try status(takes: [stopped]), devices: []).map(\.elapsed) == [.zero])
    }
}
