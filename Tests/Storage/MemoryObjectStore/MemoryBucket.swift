import OpenSSL
import PosixSupport

/// A bucket in memory that keeps the rules of S3: objects appear whole, conditional writes, uploads in parts of at least 5 MiB but for the
/// last, listings in pages, no rename. Requests and answers can be lost. Safe from any thread.
public final class MemoryBucket: Sendable {
    /// S3's smallest part that is not the last.
    public static let smallestPart = 5 << 20
    /// S3's longest page of a listing.
    public static let longestPage = 1000

    /// What a test does to a request.
    public enum Fault: Hashable, Sendable {
        /// It does not arrive.
        case requestLost
        /// It is carried out, and nobody hears of it.
        case answerLost
    }

    public struct Failure: Error, Hashable, Sendable {
        public enum Code: Hashable, Sendable {
            case preconditionFailed
            case noSuchKey
            case noSuchUpload
            case entityTooSmall
            /// No answer came.
            case unreachable
        }

        public var code: Code
        public var request: String
    }

    public struct Object: Hashable, Sendable {
        public var bytes: [UInt8]
        public var etag: String
        public var metadata: [String: String]
    }

    private struct Upload: Sendable {
        var key: String
        var parts: [Int: [UInt8]] = [:]
    }

    private struct State: Sendable {
        var objects: [String: Object] = [:]
        var uploads: [Int: Upload] = [:]
        var uploadCount = 0
        var requests: [String: Int] = [:]
    }

    /// Under which condition an object is written.
    public enum Condition: Hashable, Sendable {
        case none
        /// `If-None-Match: *`
        case ifAbsent
        /// `If-Match`
        case ifMatches(String)
    }

    private let state = Locked(State())
    private let fault: @Sendable (_ request: String) -> Fault?

    /// - Parameter fault: Asked before each request, by its name; nil lets it pass.
    public init(fault: @escaping @Sendable (_ request: String) -> Fault? = { _ in nil }) {
        self.fault = fault
    }

    /// How often each request was carried out.
    public var requests: [String: Int] { state.withLock { $0.requests } }

    /// What the bucket holds, unharmed by faults.
    public var objects: [String: Object] { state.withLock { $0.objects } }

    public var uploadCount: Int { state.withLock { $0.uploads.count } }

    public func put(
        _ key: String, _ bytes: [UInt8], metadata: [String: String] = [:], _ condition: Condition = .none
    ) throws(Failure) {
        try request("put") { state throws(Failure) in try Self.put(key, bytes, metadata, condition, &state) }
    }

    private static func put(
        _ key: String, _ bytes: [UInt8], _ metadata: [String: String], _ condition: Condition, _ state: inout State
    ) throws(Failure) {
        switch condition {
        case .none: break
        case .ifAbsent where state.objects[key] == nil: break
        case .ifMatches(let etag) where state.objects[key]?.etag == etag: break
        case .ifAbsent, .ifMatches: throw Failure(code: .preconditionFailed, request: "put \(key)")
        }
        let digest = SHA256.hash(bytes).map { String($0, radix: 16) }.joined()
        state.objects[key] = Object(bytes: bytes, etag: digest, metadata: metadata)
    }

    public func get(_ key: String) throws(Failure) -> Object {
        try request("get") { state throws(Failure) in
            guard let object = state.objects[key] else { throw Failure(code: .noSuchKey, request: "get \(key)") }
            return object
        }
    }

    /// Up to `count` bytes from `offset`.
    public func get(_ key: String, at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        Array(try get(key).bytes.dropFirst(offset).prefix(count))
    }

    /// The object without its bytes, and its size; nil where there is none.
    public func head(_ key: String) throws(Failure) -> (etag: String, byteCount: Int, metadata: [String: String])? {
        try request("head") { state throws(Failure) in
            state.objects[key].map { ($0.etag, $0.bytes.count, $0.metadata) }
        }
    }

    /// Keys with this prefix after `after`, in order.
    public func list(_ prefix: String, after: String?, limit: Int) throws(Failure) -> [String] {
        try request("list") { state throws(Failure) in
            let keys = state.objects.keys.filter { key in
                key.hasPrefix(prefix) && (after.map { last in key > last } ?? true)
            }
            return Array(keys.sorted().prefix(min(limit, Self.longestPage)))
        }
    }

    public func delete(_ key: String) throws(Failure) {
        try request("delete") { state throws(Failure) in state.objects[key] = nil }
    }

    public func createUpload(_ key: String) throws(Failure) -> Int {
        try request("createUpload") { state throws(Failure) in
            state.uploadCount += 1
            state.uploads[state.uploadCount] = Upload(key: key)
            return state.uploadCount
        }
    }

    public func uploadPart(_ upload: Int, number: Int, _ bytes: [UInt8]) throws(Failure) {
        try request("uploadPart") { state throws(Failure) in
            guard state.uploads[upload] != nil else {
                throw Failure(code: .noSuchUpload, request: "uploadPart \(upload)")
            }
            state.uploads[upload]?.parts[number] = bytes
        }
    }

    /// Makes the object of parts 1 to `count`.
    public func completeUpload(
        _ id: Int, count: Int, metadata: [String: String], _ condition: Condition
    ) throws(Failure) {
        try request("completeUpload") { state throws(Failure) in
            guard let upload = state.uploads[id] else {
                throw Failure(code: .noSuchUpload, request: "completeUpload \(id)")
            }
            let parts = (1...max(count, 1)).compactMap { upload.parts[$0] }
            guard parts.count == count, parts.dropLast().allSatisfy({ $0.count >= Self.smallestPart }) else {
                throw Failure(code: .entityTooSmall, request: "completeUpload \(id)")
            }
            var bytes: [UInt8] = []
            for part in parts { bytes += part }
            try Self.put(upload.key, bytes, metadata, condition, &state)
            state.uploads[id] = nil
        }
    }

    public func abortUpload(_ id: Int) throws(Failure) {
        try request("abortUpload") { state throws(Failure) in state.uploads[id] = nil }
    }

    /// The uploads that are neither completed nor aborted, with their keys.
    public func listUploads(_ prefix: String) throws(Failure) -> [Int: String] {
        try request("listUploads") { state throws(Failure) in
            state.uploads.mapValues(\.key).filter { $0.value.hasPrefix(prefix) }
        }
    }

    private func request<Answer>(
        _ name: String, _ work: (inout State) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let fault = fault(name)
        guard fault != .requestLost else { throw Failure(code: .unreachable, request: name) }
        let answer = try state.withLock { state throws(Failure) in
            state.requests[name, default: 0] += 1
            return try work(&state)
        }
        guard fault == nil else { throw Failure(code: .unreachable, request: name) }
        return answer
    }
}
