import CaptureModel
import StorageKit

extension StorageConformance {
    /// A store that has the shots of both sample keys.
    private func opened(_ open: Opening) async throws -> OpenStore {
        let store = try await open()
        try await store.shots.create(Samples.shot())
        return store
    }

    /// All bytes of a stored asset, read in pieces; nil where there is none.
    private func read(_ key: FileKey, _ store: OpenStore) async throws -> [UInt8]? {
        guard let count = try await store.assets.byteCount(of: key) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try await store.assets.read(key, at: Int64(bytes.count), count: 1 << 20)
            try require(!piece.isEmpty, "reading ends at \(bytes.count) of \(count) bytes")
            bytes += piece
        }
        return bytes
    }

    func upload(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        try await store.assets.send(key, bytes)
        try require(try await store.assets.byteCount(of: key) == nil, "it is there before its commit")
        try await requireFailure(.notFound, "reading it before its commit") {
            _ = try await store.assets.read(key, at: 0, count: 1)
        }
        let location = try await store.assets.commit(key)
        try require(location == store.assets.location(of: key), "it is at \(location)")
        try require(try await read(key, store) == bytes, "other bytes are read")
        try require(
            try await store.assets.read(key, at: 1000, count: 7) == Array(bytes[1000..<1007]), "a range differs")
        try require(try await store.assets.read(key, at: 2499, count: 7) == [bytes[2499]], "the end differs")
        try require(try await store.assets.read(key, at: 2500, count: 7) == [], "something is behind the end")
        try require(try await store.assets.content(of: key) == Samples.content(bytes), "it has another content")
    }

    func emptyAsset(_ open: Opening) async throws {
        let store = try await opened(open)
        try await store.assets.collect(Samples.photo(), [])
        try require(try await store.assets.byteCount(of: Samples.photo()) == 0, "it is not there")
        try require(try await store.assets.content(of: Samples.photo()) == Samples.content([]), "it has a content")
    }

    func manyPieces(_ open: Opening) async throws {
        let store = try await opened(open)
        // More than two of the smallest parts of S3.
        let bytes = Samples.bytes(12 << 20)
        for (device, piece) in [("north/cam1", 256 << 10), ("south/cam1", (5 << 20) + 1)] {
            let key = try Samples.photo(device: device)
            try await store.assets.collect(key, bytes, piece: piece)
            try require(try await read(key, store) == bytes, "other bytes are read of pieces of \(piece)")
        }
    }

    func misplacedBytes(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        try await requireFailure(.invalidRequest, "appending to nothing") {
            try await store.assets.append([1], to: key, at: 0)
        }
        try await requireFailure(.invalidRequest, "an asset of less than nothing") {
            _ = try await store.assets.begin(
                key, AssetContent(byteCount: -1, digest: Samples.digest(bytes)))
        }
        _ = try await store.assets.begin(key, Samples.content(bytes))
        try await store.assets.append(Array(bytes[..<1000]), to: key, at: 0)
        for offset in [Int64.min, -1, 0, 999, 1001, .max] {
            try await requireFailure(.invalidRequest, "appending at \(offset)") {
                try await store.assets.append([1], to: key, at: offset)
            }
        }
        try await requireFailure(.invalidRequest, "appending too much") {
            try await store.assets.append(Array(bytes[999...]), to: key, at: 1000)
        }
        try await store.assets.append(Array(bytes[1000...]), to: key, at: 1000)
        _ = try await store.assets.commit(key)
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func durableBytes(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(12 << 20))
        _ = try await store.assets.begin(key, Samples.content(bytes))
        var (offset, durable) = (0, Int64(0))
        while offset < bytes.count {
            let end = min(offset + (1 << 20), bytes.count)
            let told = try await store.assets.append(Array(bytes[offset..<end]), to: key, at: Int64(offset))
            try require(durable <= told && told <= Int64(end), "\(told) of \(end) are durable, after \(durable)")
            (offset, durable) = (end, told)
        }
        _ = try await store.assets.commit(key)
    }

    func incompleteCommit(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        try await requireFailure(.invalidRequest, "committing nothing") { _ = try await store.assets.commit(key) }
        _ = try await store.assets.begin(key, Samples.content(bytes))
        try await store.assets.append(Array(bytes[..<1000]), to: key, at: 0)
        try await requireFailure(.invalidRequest, "committing a part") { _ = try await store.assets.commit(key) }
        try require(try await store.assets.byteCount(of: key) == nil, "a part is stored")
        try await store.assets.append(Array(bytes[1000...]), to: key, at: 1000)
        _ = try await store.assets.commit(key)
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func wrongDigest(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        _ = try await store.assets.begin(key, Samples.content(bytes))
        try await store.assets.append(Samples.bytes(2500, seed: 3), to: key, at: 0)
        try await requireFailure(.corrupted, "committing other bytes") { _ = try await store.assets.commit(key) }
        try require(try await store.assets.byteCount(of: key) == nil, "they are stored")
        try require(
            try await store.assets.begin(key, Samples.content(bytes)) == .resume(at: 0), "the upload goes on")
        try await store.assets.collect(key, bytes)
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func suspended(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        _ = try await store.assets.begin(key, Samples.content(bytes))
        for offset in [0, 1000] {
            try await store.assets.append(Array(bytes[offset..<offset + 1000]), to: key, at: Int64(offset))
            await store.assets.suspend(key)
            let start = try await store.assets.begin(key, Samples.content(bytes))
            try require(start == .resume(at: Int64(offset + 1000)), "it goes on as \(start)")
        }
        try await store.assets.collect(key, bytes)
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func interrupted(_ open: Opening) async throws {
        let (key, bytes) = (try Samples.photo(), Samples.bytes(6 << 20))
        for count in [0, 1000, 6 << 20] {
            var store: OpenStore? = try await open()
            try await store?.shots.create(Samples.shot())
            _ = try await store?.assets.begin(key, Samples.content(bytes))
            try await store?.assets.append(Array(bytes[..<count]), to: key, at: 0)
            store = nil
        }
        let next = try await open()
        try require(try await next.assets.byteCount(of: key) == nil, "it is stored without a commit")
        try await next.assets.collect(key, bytes, piece: 1 << 20)
        try require(try await read(key, next) == bytes, "other bytes are read")
    }

    func committedBefore(_ open: Opening) async throws {
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        var store: OpenStore? = try await opened(open)
        try await store?.assets.collect(key, bytes)
        try require(try await store?.assets.begin(key, Samples.content(bytes)) == .committed, "it is sent again")
        store = nil
        let next = try await open()
        try require(try await read(key, next) == bytes, "the next process reads other bytes")
        try require(try await next.assets.begin(key, Samples.content(bytes)) == .committed, "the next process sends it")
        _ = try await next.assets.commit(key)
        try require(try await read(key, next) == bytes, "other bytes are read")
    }

    func otherContent(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        // Before the commit the node may announce another content.
        try await store.assets.send(key, Samples.bytes(2500, seed: 9))
        try await store.assets.collect(key, bytes)
        try await requireFailure(.conflict, "beginning with other bytes") {
            _ = try await store.assets.begin(key, Samples.content(Samples.bytes(2500, seed: 9)))
        }
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func unknownShot(_ open: Opening) async throws {
        let store = try await opened(open)
        try await requireFailure(.notFound, "beginning with a file of no shot") {
            _ = try await store.assets.begin(Samples.photo(7), Samples.content([1]))
        }
        try require(try await store.assets.byteCount(of: Samples.photo(7)) == nil, "it is there")
    }

    func forgotten(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        _ = try await store.assets.begin(key, Samples.content(bytes))
        try await store.assets.append(Array(bytes[..<1000]), to: key, at: 0)
        await store.assets.forget(key)
        try require(try await store.assets.begin(key, Samples.content(bytes)) == .resume(at: 0), "it goes on")
        try await store.assets.collect(key, bytes)
        await store.assets.forget(key)
        try require(try await read(key, store) == bytes, "a stored asset was forgotten")
    }

    func abandonedUploads(_ open: Opening) async throws {
        let store = try await opened(open)
        try await store.shots.create(Samples.shot(2))
        let keys = try [Samples.photo(), Samples.photo(device: "south/cam1"), Samples.photo(2)]
        let bytes = Samples.bytes(2500)
        for key in keys {
            _ = try await store.assets.begin(key, Samples.content(bytes))
            try await store.assets.append(Array(bytes[..<1000]), to: key, at: 0)
        }
        await store.assets.suspend(keys[0])
        await store.assets.forgetUploads(of: Samples.shotID(), except: [])
        func start(_ key: FileKey) async throws -> UploadStart {
            try await store.assets.begin(key, Samples.content(bytes))
        }
        try require(try await start(keys[0]) == .resume(at: 0), "one that pauses is kept")
        try require(try await start(keys[1]) == .resume(at: 1000), "one that is under way is lost")
        await store.assets.forgetUploads(exceptOf: [Samples.shotID(2)])
        try require(try await start(keys[2]) == .resume(at: 1000), "one of a shot that is kept is lost")
        try require(try await start(keys[1]) == .resume(at: 0), "one of another shot is kept")
    }

    func severalAtOnce(_ open: Opening) async throws {
        let store = try await opened(open)
        for number in Int64(2)...5 { try await store.shots.create(Samples.shot(number)) }
        let keys = try (1...5).map { try Samples.photo($0) }
        let bytes = Samples.bytes(2500)
        for key in keys.prefix(4) { try await store.assets.send(key, bytes) }
        await store.assets.forget(keys[1])
        _ = try await store.assets.begin(keys[1], Samples.content(bytes))
        try await store.assets.append(Samples.bytes(2500, seed: 5), to: keys[1], at: 0)
        let outcomes = await store.assets.commit(keys)
        for (index, key) in keys.enumerated() {
            let code: StorageError.Code? =
                switch outcomes[key] {
                case .success: nil
                case .failure(let error): error.code
                case nil: throw Finding("\(key) has no outcome")
                }
            let expected: StorageError.Code? = index == 1 ? .corrupted : index == 4 ? .invalidRequest : nil
            try require(code == expected, "asset \(index) ended as \(String(describing: code))")
            try require(try await read(key, store) == (expected == nil ? bytes : nil), "asset \(index) differs")
        }
    }

    func removed(_ open: Opening) async throws {
        let store = try await opened(open)
        let (key, bytes) = (try Samples.photo(), Samples.bytes(2500))
        try await store.assets.remove(key)
        try await store.assets.collect(key, bytes)
        try await store.assets.remove(key)
        try require(try await store.assets.byteCount(of: key) == nil, "it is still there")
        try require(try await store.assets.list(.shot(Samples.shotID())).isEmpty, "it is still listed")
        try await store.assets.collect(key, bytes)
        try require(try await read(key, store) == bytes, "other bytes are read")
    }

    func listedAssets(_ open: Opening) async throws {
        let store = try await opened(open)
        try await store.shots.create(Samples.shot(2))
        let kinds: [AssetKind] = [
            .photo, .preview, .alternatePhoto, .cameraRaw(.nef), .movie(.first), .frames(.first),
        ]
        let capture = try Samples.photo().capture
        let keys = kinds.map { FileKey(capture: capture, kind: $0) }
        for key in keys { try await store.assets.collect(key, [1]) }
        try await store.assets.collect(Samples.photo(2), [2])
        _ = try await store.annotations.edit(Samples.shotID(), ShotAnnotationEdit(title: "Gipfel"))
        let expected = keys.map { store.assets.location(of: $0) }.sorted()
        for limit in [1, 2, 5, 100] {
            var found: [AssetLocation] = []
            var page: [AssetLocation] = []
            repeat {
                page = try await store.assets.list(.shot(Samples.shotID()), after: page.last, limit: limit)
                found += page
            } while page.count == limit
            try require(found == expected, "in pages of \(limit) the assets are \(found)")
        }
    }

    func verification(_ open: Opening) async throws {
        let store = try await opened(open)
        let bytes = Samples.bytes(2500)
        try await store.assets.collect(Samples.photo(), bytes)
        try await store.assets.collect(Samples.photo(device: "south/cam1"), bytes)
        let verification = ShotVerification(shots: store.shots, assets: store.assets)
        func states() async throws -> [VerifyFinding.State] {
            try await verification.findings(of: Samples.shotID()).map(\.state)
        }
        try require(try await states() == [.stray, .stray], "what no manifest names is not found")
        let shot = try Samples.shot().storing(bytes).storing([7], of: "south/cam1")
        try await store.shots.replace(0, with: shot)
        let found = try await states()
        try require(found == [.ok, .altered], "found \(found)")
        try await store.assets.remove(Samples.photo())
        let later = try await states()
        try require(later == [.missing, .altered], "found \(later)")
        try require(try await verification.unclaimed().isEmpty, "something belongs to no shot")
    }
}
