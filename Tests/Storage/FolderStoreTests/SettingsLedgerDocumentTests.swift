import CaptureModel
import CaptureTestSupport
import FolderStore
import PosixSupport
import StorageKit
import Testing

@Suite struct SettingsLedgerDocumentTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() throws -> DocumentFile<[CommittedSettings]> {
        try DocumentFile(.settings, in: folder.path, executor: try ThreadExecutor(name: "settings"))
    }

    private func transactions() throws -> [CommittedSettings] {
        let id = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        let other = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e70"))
        let clock = RigClockID(rawValue: "rig-1")
        let origins = [
            SettingsOrigin.undo(.newest), .undo(UndoScope(other, cameras: [try DeviceID("north/a")])),
            .profile(ProfileReference(try #require(ProfileName("day")))),
        ]
        let ben = try #require(Principal(claimed: "ben@a"))
        let camera = try DeviceID("north/a")
        return [
            CommittedSettings(id: id, rigClock: clock, time: RigTime(nanoseconds: .max), state: .ended),
            CommittedSettings(
                id: other, rigClock: clock,
                open: CommittedSettings.Open(
                    SettingsRequest(
                        id: other, selection: Selection(nodes: [try NodeName("north")]),
                        settings: try CaptureSettings(parsing: "exposureDuration=8ms driver.hue=-3"),
                        cameras: [try DeviceID("north/a"): try CaptureSettings(parsing: "gain=raw:1")],
                        time: .absolute(realtimeNanoseconds: 9), requireAll: true, run: SettingsRunID(id.uuid)),
                    by: try #require(Principal(recorded: "anna", isAuthenticated: true)),
                    cameras: [try DeviceID("north/a"), try DeviceID("north/b")]),
                past: PastSettings(
                    id: other, realtimeNanoseconds: .max, principal: "anna",
                    profile: ProfileReference(try #require(ProfileName("night")), version: 3), undoes: id,
                    undoesRun: SettingsRunID(id.uuid), run: SettingsRunID(other.uuid),
                    cameras: [
                        PastSettings.Camera(
                            device: try DeviceID("north/a"), settings: try CaptureSettings(parsing: "driver.gain=7"),
                            earlier: try CaptureSettings(parsing: "driver.gain=9007199254740993"), outcome: .rounded,
                            beforeRun: try CaptureSettings(parsing: "driver.hue=1"), undone: [id, other]),
                        PastSettings.Camera(device: try DeviceID("north/b"), settings: CaptureSettings()),
                    ])),
        ]
            + origins.map { origin in
                CommittedSettings(
                    id: id, rigClock: clock,
                    open: CommittedSettings.Open(SettingsRequest(id: id, origin: origin), by: ben, cameras: [camera]))
            }
    }

    private static func request(
        settings: String = "gain=raw:7", principal: String = "anna", cameras: String = #"["a/b"]"#
    ) -> String {
        #"{"schemaVersion":1,"transactions":[{"id":"019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f","rigClock":"a","state":"committed","request":{"cameras":\#(cameras),"isAuthenticated":true,"principal":"\#(principal)","requireAll":false,"selection":{"mediaType":"video","nodes":[],"devices":[],"labels":[],"choice":{"all":{}}},"settings":"\#(settings)","time":{"soon":{}}}}]}"#
    }

    @Test func `Transactions are the same after a restart`() async throws {
        #expect(try await store().read() == nil)
        try await store().replace(with: try transactions())
        #expect(try await store().read() == (try transactions()))
    }

    @Test(arguments: [
        "", "{", #"{"schemaVersion":3,"transactions":[]}"#, #"{"schemaVersion":0,"transactions":[]}"#,
        #"{"schemaVersion":1,"transactions":[{"id":"1","rigClock":"a","state":"ended"}]}"#,
        #"{"schemaVersion":1,"transactions":[{"id":"019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f","rigClock":"a","state":"?"}]}"#,
        #"{"schemaVersion":1,"transactions":[{"id":"019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f","rigClock":"a","state":"committed","request":{}}]}"#,
        request(settings: "gain"), request(principal: ""), request(cameras: #"["a/b","a/b"]"#),
    ])
    func `A damaged file is named and set aside, and transactions are stored again`(content: String) async throws {
        try folder.write(Array(content.utf8), as: DocumentFormat.settings.fileName)
        let store = try store()
        let error = await #expect(throws: StorageError.self) { try await store.read() }
        #expect(error?.code == .corrupted && error?.subject == "\(folder.path)/settings.json")
        #expect(error?.description.contains("\(folder.path)/damaged/settings.json") == true)
        #expect(try folder.read("damaged/settings.json") == Array(content.utf8))
        #expect(try await store.read() == nil)
        try await store.replace(with: try transactions())
        #expect(try await store.read() == (try transactions()))
    }

    @Test(arguments: [earlierFile, fileOfRuns])
    func `A file of an earlier program is written again bit for bit`(content: String) async throws {
        try folder.write(Array(content.utf8), as: DocumentFormat.settings.fileName)
        let store = try store()
        try await store.replace(with: try #require(try await store.read()))
        #expect(String(decoding: try folder.read(DocumentFormat.settings.fileName), as: UTF8.self) == content)
    }

    @Test func `A file with a run, or the undo of one, is of a version that programs without runs refuse`() async throws
    {
        let id = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        let run = SettingsRunID(id.uuid)
        let plain = PastSettings(id: id, realtimeNanoseconds: 1, principal: "anna", cameras: [])
        var (member, undo) = (plain, plain)
        member.run = run
        (undo.undoes, undo.undoesRun) = (id, run)
        for (past, run, version) in [
            (plain, nil, 1), (member, nil, 2), (undo, nil, 2), (plain, run, 2),
        ] as [(PastSettings, SettingsRunID?, Int)] {
            let request = SettingsRequest(id: past.id, selection: Selection(), settings: CaptureSettings(), run: run)
            let open = CommittedSettings.Open(
                request, by: try #require(Principal(recorded: "anna", isAuthenticated: true)), cameras: [])
            let settings = CommittedSettings(
                id: past.id, rigClock: RigClockID(rawValue: "rig"), state: .committed, open: open, past: past)
            let store = try store()
            try await store.replace(with: [settings])
            let text = String(decoding: try folder.read(DocumentFormat.settings.fileName), as: UTF8.self)
            #expect(text.contains("\"schemaVersion\" : \(version)"))
            #expect(try await store.read() == [settings])
        }
    }

    @Test func `A file with runs that says version 1 is read`() async throws {
        let content = Self.fileOfRuns.replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : 1")
        try folder.write(Array(content.utf8), as: DocumentFormat.settings.fileName)
        #expect(try await store().read()?.compactMap(\.past?.run).count == 1)
    }

    private static let earlierFile = """
        {
          "schemaVersion" : 1,
          "transactions" : [
            {
              "id" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f",
              "past" : {
                "cameras" : [
                  {
                    "device" : "north/cam1",
                    "earlier" : "driver.gain=1",
                    "outcome" : "set",
                    "settings" : "gain=raw:7"
                  }
                ],
                "principal" : "anna",
                "profile" : "night@3",
                "toldRealtimeNanoseconds" : "1795000000000000000",
                "undoes" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e70"
              },
              "rigClock" : "a",
              "state" : "ended"
            }
          ]
        }
        """

    private static let fileOfRuns = """
        {
          "schemaVersion" : 2,
          "transactions" : [
            {
              "id" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f",
              "past" : {
                "cameras" : [
                  {
                    "beforeRun" : "driver.gain=1",
                    "device" : "north/cam1",
                    "earlier" : "driver.gain=2",
                    "outcome" : "set",
                    "settings" : "gain=raw:7"
                  }
                ],
                "principal" : "anna",
                "run" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e71",
                "toldRealtimeNanoseconds" : "1795000000000000000"
              },
              "rigClock" : "a",
              "state" : "ended"
            },
            {
              "id" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e72",
              "past" : {
                "cameras" : [
                  {
                    "device" : "north/cam1",
                    "outcome" : "set",
                    "settings" : "driver.gain=1",
                    "undone" : [
                      "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"
                    ]
                  }
                ],
                "principal" : "anna",
                "toldRealtimeNanoseconds" : "1795000001000000000",
                "undoes" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f",
                "undoesRun" : "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e71"
              },
              "rigClock" : "a",
              "state" : "ended"
            }
          ]
        }
        """
}
