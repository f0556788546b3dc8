public import CaptureModel
internal import RigProtocol
internal import RigWire

/// A small picture of a stored file.
public struct StoredPicture: Hashable, Sendable {
    /// A JPEG of at most `SmallPicture.byteLimit` bytes.
    public var jpeg: [UInt8]
    /// The stored file that it is made of.
    public var asset: StoredAsset
}

extension RigClient {
    /// How long to wait for a picture that the coordinator has to make, as a multiple of `patience`.
    private static var pictureLimit: Int { 4 }

    /// Reads a small picture of a stored file. The coordinator makes it if it does not exist.
    /// - Parameter file: The path of the file in its manifest; any text is possible.
    /// - Throws: ``RigClientError``. `refused`: `unknownShot`, `unknownFile`; `noPicture` if there is none of this file; `fileLost`,
    ///   `corrupted`, `noSpace`, `inputOutput`; `noMemory` if the coordinator was busy for as long as a picture is waited for.
    public func picture(
        _ picture: SmallPicture, of file: String, in shot: ShotID
    ) async throws(RigClientError) -> StoredPicture {
        guard (1...WireLimits.assetNameByteCount).contains(file.utf8.count) else {
            throw RigClientError(
                .refused(RigProblem.Code.unknownFile.rawValue), operation: "picture", endpoint: "",
                cause: "shot \(shot) has no stored file with a name of \(file.utf8.count) bytes")
        }
        var request = WireReadPicture()
        (request.shotID, request.file, request.picture) = (shot.wire, file, picture.rawValue)
        let limit = patience * Self.pictureLimit
        let start = time.now()
        while true {
            do throws(RigClientError) {
                let answer = try await ask(.readPicture(request), operation: "picture", limit: limit)
                return try reading(answer, operation: "picture") { body throws(WireError) in
                    guard case .smallPicture(let wire) = body else { return nil }
                    return try StoredPicture(wire: wire, for: request, in: shot)
                }
            } catch {
                guard error.code == .refused(RigProblem.Code.noMemory.rawValue), time.now() < start + limit else {
                    throw error
                }
                try? await time.sleep(for: Self.busyPause)
            }
        }
    }
}

extension StoredPicture {
    /// - Throws: If this is not what `request` asks for.
    init(wire: WireSmallPicture, for request: WireReadPicture, in shot: ShotID) throws(WireError) {
        let reader = FieldReader("SmallPicture")
        guard wire.shotID == request.shotID else { throw reader.invalid("shot_id", "is that of another shot") }
        guard wire.file == request.file else { throw reader.invalid("file", "is another file") }
        guard wire.picture == request.picture else { throw reader.invalid("picture", "is another one") }
        guard (1...SmallPicture.byteLimit).contains(wire.data.count), wire.data.starts(with: [0xFF, 0xD8]) else {
            throw reader.invalid("data", "must be a JPEG of at most \(SmallPicture.byteLimit) bytes")
        }
        jpeg = Array(wire.data)
        asset = StoredAsset(
            shot: shot, file: wire.file,
            byteCount: try reader.number(wire.byteCount, "byte_count", in: 0...WireLimits.fileByteCount),
            digest: try ContentDigest(wire: wire.sha256))
    }
}
