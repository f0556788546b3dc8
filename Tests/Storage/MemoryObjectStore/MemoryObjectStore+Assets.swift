public import CaptureModel
import OpenSSL
public import StorageKit

/// An upload of one process: the parts that the bucket has, and the bytes of the next one.
struct ObjectUpload: Sendable {
    let content: AssetContent
    /// nil before the first part.
    var id: Int?
    var partCount = 0
    /// Bytes in whole parts, and their hash.
    var durable: Int64 = 0
    var durableHash = SHA256()
    var buffer: [UInt8] = []
    var hash = SHA256()
    /// Whether nobody knows if the bucket has the asset.
    var isUncertain = false
    var isSuspended = false

    var offset: Int64 { durable + Int64(buffer.count) }

    /// Goes back to what the bucket has.
    mutating func rollBack() {
        (buffer, hash, isUncertain) = ([], durableHash, true)
    }
}

extension MemoryObjectStore: AssetStore {
    public func begin(_ key: FileKey, _ content: AssetContent) throws(StorageError) -> UploadStart {
        guard content.byteCount >= 0 else {
            throw StorageError(.invalidRequest, "begin", key, "\(key) cannot have \(content.byteCount) bytes")
        }
        uploads[key]?.isSuspended = false
        if let upload = uploads[key], upload.content == content, !upload.isUncertain {
            return .resume(at: upload.offset)
        }
        guard try shot(key.capture.shot) != nil else {
            throw StorageError(.notFound, "begin", key, "the bucket has no shot \(key.capture.shot)")
        }
        if let found = try committed(key) {
            guard found == content else {
                throw StorageError(.conflict, "begin", key, "\(key) is stored with other bytes")
            }
            uploads[key] = nil
            return .committed
        }
        if uploads[key]?.content == content {
            uploads[key]?.isUncertain = false
        } else {
            uploads[key] = ObjectUpload(content: content)
        }
        return .resume(at: uploads[key]?.offset ?? 0)
    }

    /// What the metadata of a stored asset says of it.
    private func committed(_ key: FileKey) throws(StorageError) -> AssetContent? {
        let head = try attempt("begin", key) { () throws(MemoryBucket.Failure) in try bucket.head(Self.asset(key)) }
        guard let head else { return nil }
        guard let digest = head.metadata["sha256"].flatMap({ ContentDigest($0) }) else {
            throw StorageError(.corrupted, "begin", key, "\(key) is stored without its digest")
        }
        return AssetContent(byteCount: Int64(head.byteCount), digest: digest)
    }

    @discardableResult
    public func append(_ bytes: any AssetBytes, to key: FileKey, at offset: Int64) throws(StorageError) -> Int64 {
        let bytes = bytes.withSpan { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
        guard var upload = uploads[key], !upload.isUncertain, offset == upload.offset,
            Int64(bytes.count) <= upload.content.byteCount - offset
        else {
            throw StorageError(.invalidRequest, "append to", key, "these bytes of \(key) were not asked for")
        }
        upload.buffer += bytes
        upload.hash.update(bytes)
        defer { uploads[key] = upload }
        if upload.buffer.count >= MemoryBucket.smallestPart { try store(&upload, key) }
        return upload.durable
    }

    /// Stores what is buffered as the next part.
    private func store(_ upload: inout ObjectUpload, _ key: FileKey) throws(StorageError) {
        let (part, known) = (upload.buffer, upload.id)
        do throws(StorageError) {
            let number = upload.partCount + 1
            upload.id = try attempt("append to", key) { () throws(MemoryBucket.Failure) in
                let id: Int
                if let known { id = known } else { id = try bucket.createUpload(Self.asset(key)) }
                try bucket.uploadPart(id, number: number, part)
                return id
            }
        } catch {
            upload.rollBack()
            throw error
        }
        upload.partCount += 1
        (upload.durable, upload.durableHash, upload.buffer) = (upload.offset, upload.hash, [])
    }

    public func commit(_ keys: [FileKey]) -> [FileKey: Result<AssetLocation, StorageError>] {
        var outcomes: [FileKey: Result<AssetLocation, StorageError>] = [:]
        for key in keys {
            do throws(StorageError) {
                try commitOne(key)
                outcomes[key] = .success(location(of: key))
            } catch {
                outcomes[key] = .failure(error)
            }
        }
        return outcomes
    }

    private func commitOne(_ key: FileKey) throws(StorageError) {
        guard var upload = uploads[key], !upload.isUncertain else {
            // It was committed before, by this process or another one.
            guard uploads[key] == nil, try committed(key) != nil else {
                throw StorageError(.invalidRequest, "commit", key, "\(key) was not begun")
            }
            return
        }
        guard upload.offset == upload.content.byteCount else {
            throw StorageError(.invalidRequest, "commit", key, "bytes of \(key) are missing")
        }
        guard ContentDigest(bytes: upload.hash.finalize()) == upload.content.digest else {
            forget(key)
            throw StorageError(.corrupted, "commit", key, "\(key) arrived with other bytes than announced")
        }
        do throws(StorageError) {
            try complete(&upload, key)
            uploads[key] = nil
        } catch {
            if error.code == .conflict, try committed(key) == upload.content {
                uploads[key] = nil
                return
            }
            upload.rollBack()
            // Without its upload in the bucket it begins again.
            uploads[key] = error.code == .inputOutput ? upload : nil
            throw error
        }
    }

    private func complete(_ upload: inout ObjectUpload, _ key: FileKey) throws(StorageError) {
        let metadata = ["sha256": upload.content.digest.description]
        if upload.id == nil {
            let bytes = upload.buffer
            return try attempt("commit", key) { () throws(MemoryBucket.Failure) in
                try bucket.put(Self.asset(key), bytes, metadata: metadata, .ifAbsent)
            }
        }
        if !upload.buffer.isEmpty { try store(&upload, key) }
        let (id, count) = (upload.id ?? 0, upload.partCount)
        try attempt("commit", key) { () throws(MemoryBucket.Failure) in
            try bucket.completeUpload(id, count: count, metadata: metadata, .ifAbsent)
        }
    }

    public func suspend(_ key: FileKey) {
        uploads[key]?.isSuspended = true
    }

    public func forget(_ key: FileKey) {
        let id = uploads.removeValue(forKey: key)?.id
        if let id { try? bucket.abortUpload(id) }
    }

    public func forgetUploads(of shot: ShotID, except kept: Set<FileKey>) {
        for (key, upload) in uploads where key.capture.shot == shot && !kept.contains(key) && upload.isSuspended {
            forget(key)
        }
        abortUploads("assets/\(shot)/")
    }

    public func forgetUploads(exceptOf shots: Set<ShotID>) {
        for key in uploads.keys where !shots.contains(key.capture.shot) { forget(key) }
        abortUploads("assets/")
    }

    /// Aborts what no upload of this process belongs to.
    private func abortUploads(_ prefix: String) {
        let own = Set(uploads.values.compactMap(\.id))
        for id in ((try? bucket.listUploads(prefix)) ?? [:]).keys where !own.contains(id) {
            try? bucket.abortUpload(id)
        }
    }

    public func remove(_ key: FileKey) throws(StorageError) {
        try attempt("remove", key) { () throws(MemoryBucket.Failure) in try bucket.delete(Self.asset(key)) }
    }

    public nonisolated func location(of key: FileKey) -> AssetLocation { AssetLocation(Self.place(of: key)) }

    public func byteCount(of key: FileKey) throws(StorageError) -> Int64? {
        try attempt("read", key) { () throws(MemoryBucket.Failure) in
            try bucket.head(Self.asset(key)).map { Int64($0.byteCount) }
        }
    }

    public func read(_ key: FileKey, at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        try attempt("read", key) { () throws(MemoryBucket.Failure) in
            try bucket.get(Self.asset(key), at: Int(clamping: offset), count: count)
        }
    }

    public func content(of key: FileKey) throws(StorageError) -> AssetContent? {
        guard let count = try byteCount(of: key) else { return nil }
        let bytes = try read(key, at: 0, count: Int(count))
        guard let digest = ContentDigest(bytes: SHA256.hash(bytes)) else { return nil }
        return AssetContent(byteCount: count, digest: digest)
    }

    public func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) throws(StorageError) -> [AssetLocation] {
        switch scope {
        case .shot(let id):
            let prefix = "assets/\(id)/"
            return try attempt("list", id) { () throws(MemoryBucket.Failure) in
                try bucket.list(prefix, after: after.map { prefix + $0.description }, limit: limit)
            }.map { AssetLocation(String($0.dropFirst(prefix.count))) }
        case .setAside: return []
        case .strays:
            let known = ["days/", "shots/", "assets/", "deleted/"]
            let strays = try keys("").filter { key in !known.contains { key.hasPrefix($0) } }.map(AssetLocation.init)
            return Array(strays.filter { stray in after.map { last in stray > last } ?? true }.prefix(limit))
        }
    }
}
