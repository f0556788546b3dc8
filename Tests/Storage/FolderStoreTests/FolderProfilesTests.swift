import CaptureModel
import CaptureTestSupport
import FolderStore
import Glibc
import PosixSupport
import StorageKit
import Testing

@Suite struct FolderProfilesTests {
    private let folder: TemporaryFolder
    private let night: ProfileName
    private let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
        night = try #require(ProfileName("night"))
    }

    private func store() throws -> FolderProfiles {
        try FolderProfiles(folder: folder.path, executor: try ThreadExecutor(name: "test"), fault: disk.fault)
    }

    private func cameras(_ gain: Int) throws -> [SettingsProfile.Camera] {
        [
            SettingsProfile.Camera(
                device: try DeviceID("north/a"), make: "Caprig", model: nil,
                settings: try CaptureSettings(parsing: "driver.gain=\(gain) format=MJPG:1280x720")),
            SettingsProfile.Camera(
                device: try DeviceID("south/b"), make: nil, model: "X",
                settings: try CaptureSettings(parsing: "wb=5200K")),
        ]
    }

    @Test func `Versions are the same after a restart, each as it was saved`() async throws {
        let first = try await store().add(try cameras(1), to: night, by: "anna", at: .max)
        let second = try await store().add(try cameras(2), to: night, by: "ben", at: -1)
        #expect(first.isNew && second.isNew && [first.profile.version, second.profile.version] == [1, 2])
        #expect(try await store().versions(of: night) == [first.profile, second.profile])
        #expect(first.profile.cameras == (try cameras(1)) && second.profile.principal == "ben")
        #expect(try await store().profiles() == [ProfileSummary(night, [first.profile, second.profile])])
    }

    @Test func `What the newest version has already makes no other one`() async throws {
        let store = try store()
        let first = try await store.add(try cameras(1), to: night, by: "anna", at: 1)
        let again = try await store.add(try cameras(1), to: night, by: "ben", at: 2)
        #expect(!again.isNew && again.profile == first.profile)
        _ = try await store.add(try cameras(2), to: night, by: "ben", at: 3)
        let back = try await store.add(try cameras(1), to: night, by: "ben", at: 4)
        #expect(back.isNew && back.profile.version == 3, "as an older version is another one")
    }

    @Test func `Of more than 16 versions the oldest is removed, and the answer names it`() async throws {
        let store = try store()
        for number in 1...16 {
            #expect(try await store.add(try cameras(number), to: night, by: "anna", at: 0).dropped == nil)
        }
        let last = try await store.add(try cameras(17), to: night, by: "anna", at: 0)
        #expect(last.dropped == 1 && last.profile.version == 17)
        #expect(try await store.versions(of: night).map(\.version) == Array(2...17))
    }

    @Test func `A 65th profile is refused with what to do, and a version of another one is not`() async throws {
        let store = try store()
        for number in 1...64 {
            _ = try await store.add(try cameras(1), to: try #require(ProfileName("p\(number)")), by: "anna", at: 0)
        }
        let error = await #expect(throws: StorageError.self) {
            try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        }
        #expect(error?.code == .noSpace && error?.description.contains("capctl settings remove") == true)
        let other = try #require(ProfileName("p7"))
        #expect(try await store.add(try cameras(2), to: other, by: "anna", at: 0).isNew)
        try await store.remove(other)
        #expect(try await store.add(try cameras(1), to: night, by: "anna", at: 0).isNew)
    }

    @Test func `A profile that is removed is gone, and one that is not there cannot be removed`() async throws {
        let store = try store()
        _ = try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        try await store.remove(night)
        #expect(try await self.store().profiles() == [])
        for work in [
            { _ = try await store.versions(of: night) }, { try await store.remove(night) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: StorageError.self) { try await work() }
            #expect(error?.code == .notFound && error?.description.contains("'night'") == true)
        }
    }

    @Test(arguments: [
        "", "{", #"{"schemaVersion":1}"#, #"{"schemaVersion":1,"versions":[]}"#,
        version(#"[{"device":"a/b","settings":"gain"}]"#), version(#"[]"#),
        version(#"[{"device":"a/b","settings":""}]"#), version(#"[{"device":"a","settings":"wb=5200K"}]"#),
        version(#"[{"device":"a/b","settings":"wb=5200K"},{"device":"a/b","settings":"wb=5200K"}]"#),
        version(#"[{"device":"a/b","settings":"wb=5200K"}]"#, number: 0),
        version(#"[{"device":"a/b","settings":"wb=5200K"}]"#, time: "soon"),
    ])
    func `A damaged profile is set aside and said to be, and the name can be saved again`(content: String) async throws
    {
        let store = try store()
        try folder.write(Array(content.utf8), as: "profiles/night.json")
        let error = await #expect(throws: StorageError.self) {
            try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        }
        #expect(error?.code == .corrupted)
        #expect(
            error?.description.contains("\(folder.path)/damaged/profile.night.json") == true,
            "\(String(describing: error))")
        #expect(try folder.read("damaged/profile.night.json") == Array(content.utf8))
        #expect(try await store.add(try cameras(1), to: night, by: "anna", at: 0).profile.version == 1)
    }

    @Test func `A damaged profile does not hide the others from the list`() async throws {
        let store = try store()
        let day = try #require(ProfileName("day"))
        _ = try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        try folder.write([0x7B], as: "profiles/day.json")
        let listed = try await store.profiles()
        #expect(listed.map(\.name) == [day, night] && listed.map(\.problem?.code) == [.corrupted, nil])
    }

    @Test func `A profile of a newer program stays where it is, and is not written over`() async throws {
        let store = try store()
        let content = Array(#"{"schemaVersion":2,"versions":{}}"#.utf8)
        try folder.write(content, as: "profiles/night.json")
        let error = await #expect(throws: StorageError.self) {
            try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        }
        #expect(error?.description.contains("schema version 2") == true)
        #expect(try folder.read("profiles/night.json") == content)
    }

    /// The steps of replacing the file: open, write, sync, rename, sync folder.
    @Test(arguments: 0..<5, [ENOSPC, EIO])
    func `A disk that fails leaves the versions before, or the next one too`(step: Int, code: CInt) async throws {
        let store = try store()
        let first = try await store.add(try cameras(1), to: night, by: "anna", at: 0)
        disk.fail(.once(at: step, code: code))
        let error = await #expect(throws: StorageError.self) {
            try await store.add(try cameras(2), to: night, by: "anna", at: 0)
        }
        #expect(error?.code == (code == ENOSPC ? .noSpace : .inputOutput))
        let stored = try await self.store().versions(of: night)
        #expect(stored.first == first.profile && stored.count <= 2)
        #expect(try await store.add(try cameras(2), to: night, by: "anna", at: 0).profile.version == 2)
    }

    private static func version(_ cameras: String, number: Int = 1, time: String = "1") -> String {
        #"{"schemaVersion":1,"versions":[{"cameras":\#(cameras),"principal":"anna","savedRealtimeNanoseconds":"\#(time)","version":\#(number)}]}"#
    }
}
