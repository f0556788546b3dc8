public import CaptureModel
import Foundation
import ShotDocuments
public import StorageKit

/// A process's end of a ``MemoryBucket``: stores shots and their files as a store on S3 would.
///
/// | key | object |
/// |---|---|
/// | `days/YYYY/MM/DD/ID` | empty; written first, so that a shot is found by its day |
/// | `shots/ID/manifest.json` | written by `If-None-Match: *` and `If-Match` |
/// | `shots/ID/annotation.json` | likewise |
/// | `assets/ID/DEVICE/FILE` | immutable; its metadata has the digest |
/// | `deleted/ID.json` | record of a deletion; written before the shot's objects are removed. From then on the shot is gone for readers |
///
/// A process that ends loses its uploads: the next one begins them again.
public actor MemoryObjectStore {
    let bucket: MemoryBucket
    var uploads: [FileKey: ObjectUpload] = [:]

    public init(_ bucket: MemoryBucket) {
        self.bucket = bucket
    }

    static func manifest(_ id: ShotID) -> String { "shots/\(id)/manifest.json" }
    static func annotation(_ id: ShotID) -> String { "shots/\(id)/annotation.json" }
    static func deletion(_ id: ShotID) -> String { "deleted/\(id).json" }
    static func asset(_ key: FileKey) -> String { "assets/\(key.capture.shot)/\(place(of: key))" }
    static func place(of key: FileKey) -> String { "\(key.capture.device.folderName)/\(key.kind.fileName)" }

    /// What a request of the bucket that failed means.
    func attempt<Answer>(
        _ operation: String, _ subject: some CustomStringConvertible,
        _ work: () throws(MemoryBucket.Failure) -> Answer
    ) throws(StorageError) -> Answer {
        do {
            return try work()
        } catch {
            let code: StorageError.Code =
                switch error.code {
                case .preconditionFailed: .conflict
                case .noSuchKey, .noSuchUpload: .notFound
                case .entityTooSmall: .invalidRequest
                case .unreachable: .inputOutput
                }
            throw StorageError(code, operation, subject, "the bucket did not answer \(error.request): \(error.code)")
        }
    }
}

extension MemoryObjectStore: ShotStore {
    public nonisolated var location: String { "memory://bucket" }

    public nonisolated func location(of shot: Shot) -> String { "assets/\(shot.id)" }

    public func create(_ shot: Shot) throws(StorageError) {
        guard try deletion(of: shot.id) == nil else {
            throw StorageError(.conflict, "create", shot.id, "shot \(shot.id) was deleted")
        }
        let bytes = try Self.encoded(shot)
        try attempt("create", shot.id) { () throws(MemoryBucket.Failure) in
            try bucket.put("days/\(ShotDay.name(of: shot))/\(shot.id)", [])
        }
        try write(bytes, of: shot, .ifAbsent)
    }

    public func replace(_ revision: Int, with shot: Shot) throws(StorageError) {
        guard shot.revision > revision else {
            throw StorageError(.invalidRequest, "replace", shot.id, "revision \(shot.revision) does not rise")
        }
        guard let (found, etag) = try stored(shot.id) else {
            throw StorageError(.notFound, "replace", shot.id, "the bucket has no shot \(shot.id)")
        }
        guard found != shot else { return }
        guard found.revision == revision else {
            throw StorageError(
                .conflict, "replace", shot.id, "the bucket has revision \(found.revision) of shot \(shot.id)")
        }
        try write(try Self.encoded(shot), of: shot, .ifMatches(etag))
    }

    /// A condition that does not hold may be the work of this very request, whose answer was lost.
    private func write(_ bytes: [UInt8], of shot: Shot, _ condition: MemoryBucket.Condition) throws(StorageError) {
        do throws(StorageError) {
            try attempt("write", shot.id) { () throws(MemoryBucket.Failure) in
                try bucket.put(Self.manifest(shot.id), bytes, condition)
            }
        } catch {
            guard error.code == .conflict, try stored(shot.id)?.shot == shot else { throw error }
        }
    }

    private static func encoded(_ shot: Shot) throws(StorageError) -> [UInt8] {
        do throws(DocumentError) {
            return try ShotManifest(shot: shot).encoded()
        } catch {
            throw StorageError(.inputOutput, "write", shot.id, error.description)
        }
    }

    private func object(_ id: ShotID) throws(StorageError) -> MemoryBucket.Object? {
        guard let object = try object(Self.manifest(id), id), try deletion(of: id) == nil else { return nil }
        return object
    }

    private func object(_ key: String, _ id: ShotID) throws(StorageError) -> MemoryBucket.Object? {
        do throws(StorageError) {
            return try attempt("read", id) { () throws(MemoryBucket.Failure) in try bucket.get(key) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private func stored(_ id: ShotID) throws(StorageError) -> (shot: Shot, etag: String)? {
        guard let object = try object(id) else { return nil }
        return (try Self.shot(in: object.bytes), object.etag)
    }

    /// The shot in the bytes of a manifest.
    public static func shot(in bytes: [UInt8]) throws(StorageError) -> Shot {
        do throws(DocumentError) {
            return try ShotManifest.decode(bytes)
        } catch {
            throw StorageError(.corrupted, "read", "a manifest", error.description)
        }
    }

    public func removeUnbegun(_ ids: [ShotID]) {
        for id in ids {
            guard let day = try? day(of: id) else { continue }
            try? bucket.delete("days/\(day)/\(id)")
        }
    }

    public func delete(_ deletion: ShotDeletion) throws(StorageError) {
        let id = deletion.shot
        if try self.deletion(of: id) == nil {
            guard try object(id) != nil else {
                throw StorageError(.notFound, "delete", id, "the bucket has no shot \(id)")
            }
            guard let bytes = try? JSONEncoder().encode(deletion) else {
                throw StorageError(.inputOutput, "delete", id, "the record cannot be written")
            }
            try attempt("delete", id) { () throws(MemoryBucket.Failure) in
                try bucket.put(Self.deletion(id), Array(bytes), .ifAbsent)
            }
        }
        try removeObjects(of: id)
    }

    /// The day's entry last, so that the next process finds what is left.
    private func removeObjects(of id: ShotID) throws(StorageError) {
        let assets = try keys("assets/\(id)/")
        let days = try keys("days/").filter { $0.hasSuffix("/\(id)") }
        for key in assets + [Self.manifest(id), Self.annotation(id)] + days {
            try attempt("delete", id) { () throws(MemoryBucket.Failure) in try bucket.delete(key) }
        }
    }

    public func finishDeletions() -> [ShotID: Result<ShotDeletion, StorageError>] {
        var outcomes: [ShotID: Result<ShotDeletion, StorageError>] = [:]
        for key in (try? keys("days/")) ?? [] {
            guard let id = ShotID(String(key.dropFirst(16))), let deletion = try? deletion(of: id) else { continue }
            do throws(StorageError) {
                try removeObjects(of: id)
                outcomes[id] = .success(deletion)
            } catch {
                outcomes[id] = .failure(error)
            }
        }
        return outcomes
    }

    public func deletion(of id: ShotID) throws(StorageError) -> ShotDeletion? {
        guard let object = try object(Self.deletion(id), id) else { return nil }
        guard let deletion = try? JSONDecoder().decode(ShotDeletion.self, from: Data(object.bytes)) else {
            throw StorageError(.corrupted, "read", id, "the record of its deletion is damaged")
        }
        return deletion
    }

    public func check() throws(StorageError) {
        try attempt("find", location) { () throws(MemoryBucket.Failure) in _ = try bucket.list("", after: nil, limit: 1)
        }
    }

    public func checkRoom() {}

    public func freeBytes() -> Int64? { nil }

    public func mishap() -> String? { nil }

    public func shot(_ id: ShotID) throws(StorageError) -> Shot? { try stored(id)?.shot }

    public func manifestBytes(of id: ShotID) throws(StorageError) -> [UInt8]? { try object(id)?.bytes }

    public func days(before: String?, limit: Int) throws(StorageError) -> [ShotDay] {
        let names = Set(try keys("days/").map { String($0.dropFirst(5).prefix(10)) })
        return names.sorted(by: >).filter { day in before.map { last in day < last } ?? true }.prefix(limit)
            .map { ShotDay(name: $0, version: "", isSettled: false) }
    }

    public func list(_ day: String, after: ShotID?, limit: Int) throws(StorageError) -> [ShotEntry] {
        let prefix = "days/\(day)/"
        let keys = try attempt("list", day) { () throws(MemoryBucket.Failure) in
            try bucket.list(prefix, after: after.map { prefix + $0.description }, limit: limit)
        }
        var entries: [ShotEntry] = []
        for key in keys {
            guard let id = ShotID(String(key.dropFirst(prefix.count))) else { continue }
            entries.append(ShotEntry(id: id, stamp: try stamp(of: id)))
        }
        return entries
    }

    public func day(of id: ShotID) throws(StorageError) -> String? {
        try keys("days/").first { $0.hasSuffix("/\(id)") }.map { String($0.dropFirst(5).prefix(10)) }
    }

    public func stamp(of id: ShotID, day: String) throws(StorageError) -> ShotStamp? {
        let marker = try attempt("list", id) { () throws(MemoryBucket.Failure) in try bucket.head("days/\(day)/\(id)") }
        return marker == nil ? nil : try stamp(of: id)
    }

    private func stamp(of id: ShotID) throws(StorageError) -> ShotStamp {
        try attempt("list", id) { () throws(MemoryBucket.Failure) in
            ShotStamp(
                manifest: try bucket.head(Self.manifest(id))?.etag ?? "",
                annotation: try bucket.head(Self.annotation(id))?.etag ?? "")
        }
    }

    public func record(of id: ShotID, day: String) throws(StorageError) -> ShotRecord? {
        guard let stamp = try stamp(of: id, day: day) else { return nil }
        var record = ShotRecord(id: id, day: day, stamp: stamp, content: .unbegun)
        do throws(StorageError) {
            if let shot = try shot(id) { record.content = .shot(shot, try annotation(of: id)) }
        } catch {
            guard error.code == .corrupted else { throw error }
            record.content = .damaged(DamagedManifest(location: Self.manifest(id), reason: error.cause))
        }
        return record
    }

    /// Every key with this prefix, page by page.
    func keys(_ prefix: String) throws(StorageError) -> [String] {
        var keys: [String] = []
        while true {
            let page = try attempt("list", prefix) { () throws(MemoryBucket.Failure) in
                try bucket.list(prefix, after: keys.last, limit: MemoryBucket.longestPage)
            }
            keys += page
            if page.count < MemoryBucket.longestPage { return keys }
        }
    }
}

extension MemoryObjectStore: AnnotationStore {
    public func annotation(of id: ShotID) throws(StorageError) -> ShotAnnotation {
        try storedAnnotation(id)?.annotation ?? ShotAnnotation()
    }

    private func storedAnnotation(_ id: ShotID) throws(StorageError) -> (annotation: ShotAnnotation, etag: String)? {
        do throws(StorageError) {
            let object = try attempt("read", id) { () throws(MemoryBucket.Failure) in
                try bucket.get(Self.annotation(id))
            }
            let texts = object.bytes.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard texts.count == 3 else { throw StorageError(.corrupted, "read", id, "it is not an annotation") }
            let rejected = texts[2].split(separator: " ").compactMap { try? DeviceID(String($0)) }
            return (ShotAnnotation(title: texts[0], note: texts[1], rejected: rejected), object.etag)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    public func replace(_ old: ShotAnnotation, with new: ShotAnnotation, of id: ShotID) throws(StorageError) {
        guard try stored(id) != nil else {
            throw StorageError(.notFound, "annotate", id, "the bucket has no shot \(id)")
        }
        let found = try storedAnnotation(id)
        guard found?.annotation ?? ShotAnnotation() == old || found?.annotation == new else {
            throw StorageError(.conflict, "annotate", id, "another program has annotated shot \(id)")
        }
        let rejected = new.rejected.map(\.description).joined(separator: " ")
        let bytes = Array(new.title.utf8) + [0] + Array(new.note.utf8) + [0] + Array(rejected.utf8)
        try attempt("annotate", id) { () throws(MemoryBucket.Failure) in
            guard !new.isEmpty else { return try bucket.delete(Self.annotation(id)) }
            try bucket.put(Self.annotation(id), bytes, found.map { .ifMatches($0.etag) } ?? .ifAbsent)
        }
    }
}
