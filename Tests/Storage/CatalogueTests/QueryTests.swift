import CaptureModel
import CaptureTestSupport
import Catalogue
import FolderStore
import StorageKit
import Testing

@Suite struct QueryTests {
    @Test(arguments: 1...4) func `a search finds other shots with an index than the manifests name`(
        _ seed: UInt64
    ) async throws {
        let library = try SampleLibrary(seed: seed)
        _ = try library.add(60)
        try await library.reindex()
        let contents = try await library.contents()
        var found = 0
        for _ in 0..<60 {
            let query = library.query()
            let listing = try await library.catalogue.shots(ShotPage(query, limit: 1000))
            #expect(listing.ids == contents.filter { query.matches($0.shot, $0.annotation) }.map(\.shot.id), "\(query)")
            #expect(listing.changed == 0)
            found += listing.shots.count
        }
        #expect(found > 100)
    }

    @Test(arguments: 1...3) func `a search without an index finds other shots than the manifests name`(
        _ seed: UInt64
    ) async throws {
        let library = try SampleLibrary(seed: seed)
        _ = try library.add(40)
        for _ in 0..<8 {
            let query = library.query()
            let listing = try await library.catalogue.shots(ShotPage(query, limit: 1000))
            #expect(listing.ids == (try await library.expected(query)), "\(query)")
            #expect(listing.changed == nil)
        }
    }

    @Test(arguments: [true, false]) func `pages leave a shot out or show one twice`(_ isIndexed: Bool) async throws {
        let library = try SampleLibrary()
        _ = try library.add(23)
        if isIndexed { try await library.reindex() }
        let query = ShotQuery(devices: [DevicePattern("north/*")].compactMap(\.self))
        var ids: [ShotID] = []
        while true {
            let page = try await library.catalogue.shots(ShotPage(query, limit: 4, before: ids.last)).ids
            ids += page
            if page.count < 4 { break }
        }
        #expect(ids == (try await library.expected(query)))
        #expect(ids.count > 8)
        var generator = SeededGenerator(seed: 99)
        let unknown = ShotID(unixMilliseconds: 1_793_491_200_000, using: &generator)
        #expect(try await library.catalogue.shots(ShotPage(query, limit: 4, before: unknown)).ids == [])
        #expect(try await library.catalogue.shots(ShotPage(query, limit: 0)).ids == [])
    }

    @Test(arguments: [true, false]) func `a damaged manifest hides other shots, or is told on two pages`(
        _ isIndexed: Bool
    ) async throws {
        let library = try SampleLibrary()
        let shots = try library.add(12)
        let order = try await library.reader.shots(limit: .max).shots
        let broken = order[4]
        try library.damage(broken)
        if isIndexed { try await library.reindex() }
        let first = try await library.catalogue.shots(ShotPage(ShotQuery(), limit: 4))
        let second = try await library.catalogue.shots(ShotPage(ShotQuery(), limit: 100, before: first.ids.last))
        #expect(first.damaged.isEmpty)
        #expect(second.damaged.map(\.id) == [broken.id])
        #expect(second.damaged.first?.description.contains("shot.json: it is not a shot manifest") == true)
        #expect((first.ids + second.ids) == order.map(\.id).filter { $0 != broken.id })
        #expect(first.shots.count + second.shots.count == shots.count - 1)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max]) func `an instant beyond all dates ends a program`(
        _ instant: Int64
    ) async throws {
        let library = try SampleLibrary()
        let shots = try library.add(3)
        for _ in 0..<2 {
            let since = try await library.catalogue.shots(ShotPage(ShotQuery(since: instant), limit: 9)).shots.count
            let until = try await library.catalogue.shots(ShotPage(ShotQuery(until: instant), limit: 9)).shots.count
            #expect(since == (instant == .max ? 0 : shots.count))
            #expect(until == (instant == .max ? shots.count : 0))
            try await library.reindex()
        }
    }

    @Test func `a pattern of many stars takes minutes`() async throws {
        let pattern = try #require(
            DevicePattern(String(repeating: "*a", count: 30) + "b/" + String(repeating: "*?", count: 30)))
        let device = try DeviceID("aaaaaaaaaaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaaaaaa")
        #expect(!pattern.matches(device))
        #expect(try #require(DevicePattern("a*/*a")).matches(device))
        #expect(!(try #require(DevicePattern("a?/*")).matches(device)))
        for text in ["", "/", "a/b/c", "A/b", "a b", "a/", String(repeating: "*", count: 65)] {
            #expect(DevicePattern(text) == nil)
        }
    }

    /// Of every second shot, a camera in turn.
    private static func rejected(_ index: Int, _ shot: Shot) -> [DeviceID] {
        index % 2 == 0 ? [shot.captures[index / 2 % shot.captures.count].device.id] : []
    }

    @Test(arguments: [true, false]) func `Finds the shots with a rejected picture, also by their camera`(
        _ isIndexed: Bool
    ) async throws {
        let library = try SampleLibrary()
        let shots = try library.add(8)
        let pattern = try #require(DevicePattern("north/cam1"))
        for (index, shot) in shots.enumerated() {
            try library.annotate(shot, ShotAnnotation(rejected: Self.rejected(index, shot)))
        }
        if isIndexed { try await library.reindex() }
        let all = try await library.catalogue.shots(ShotPage(ShotQuery(isRejected: true), limit: 99))
        #expect(Set(all.ids) == Set(shots.indices.filter { $0 % 2 == 0 }.map { shots[$0].id }))
        let ofCamera = try await library.catalogue.shots(
            ShotPage(ShotQuery(devices: [pattern], isRejected: true), limit: 99))
        let expected = shots.indices.filter { Self.rejected($0, shots[$0]).contains(where: pattern.matches) }
        #expect(Set(ofCamera.ids) == Set(expected.map { shots[$0].id }))
        #expect(!expected.isEmpty && expected.count < all.ids.count)
        // A mark that is taken back is found no more, also before the index knows of it.
        try library.annotate(shots[0], ShotAnnotation(title: "Gipfel"))
        let later = try await library.catalogue.shots(ShotPage(ShotQuery(isRejected: true), limit: 99))
        #expect(Set(later.ids) == Set(all.ids).subtracting([shots[0].id]))
    }

    @Test func `what a list says of a shot is not what its manifest says`() async throws {
        let library = try SampleLibrary()
        let shot = try library.shot()
        try library.write(shot)
        try library.annotate(shot, ShotAnnotation(title: "Gipfel"))
        try await library.reindex()
        let entry = try #require(try await library.catalogue.shots(ShotPage(ShotQuery(), limit: 1)).shots.first)
        #expect(entry.folder == shot.libraryFolder)
        #expect(entry.status == shot.status)
        #expect(entry.realtimeNanoseconds == shot.wallClock.realtimeNanoseconds(at: shot.time))
        #expect(entry.expected == shot.captures.count)
        #expect(entry.title == "Gipfel")
    }
}
