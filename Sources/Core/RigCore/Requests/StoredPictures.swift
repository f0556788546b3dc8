package import CaptureModel
package import Previews
package import StorageKit

/// A small picture of a stored file, as requested by a front end.
package struct PictureRequest: Hashable, Sendable {
    package var shot: ShotID
    /// The name of the file in the shot's manifest; not checked, any text is possible.
    package var file: String
    package var picture: SmallPicture

    package init(shot: ShotID, file: String, picture: SmallPicture) {
        self.shot = shot
        self.file = file
        self.picture = picture
    }
}

/// A small picture of a stored file.
package struct PictureAnswer: Sendable {
    package var request: PictureRequest
    /// A JPEG.
    package var bytes: [UInt8]
    /// The file that it is made of, as recorded in the manifest.
    package var content: AssetContent

    package init(request: PictureRequest, bytes: [UInt8], content: AssetContent) {
        self.request = request
        self.bytes = bytes
        self.content = content
    }
}

/// Gives out the small pictures of files that manifests name.
///
/// It makes none: one that does not exist is waited for until the library's ``PreviewMaker`` has made it. It holds no lock and no thread while
/// it waits. Whoever asks bounds how many wait.
package struct StoredPictures: Sendable {
    private let files: StoredFiles
    private let reader: PreviewReader?
    private let maker: PreviewMaker?

    /// - Parameters:
    ///   - files: Looks names up in manifests.
    ///   - reader: Reads small pictures that exist; nil for a store that has no place for them.
    ///   - maker: Makes those that do not exist; nil if none are made.
    package init(files: StoredFiles, reader: PreviewReader?, maker: PreviewMaker?) {
        self.files = files
        self.reader = reader
        self.maker = maker
    }

    /// - Throws: `unknownShot`, `deleted`, `unknownFile`; `noPicture` if there is none of this file; `fileLost` and `corrupted` if it is to be made, and
    ///   the store does not have the file or has it with another length; `corrupted` if the manifest cannot be read; `noSpace`, `inputOutput`.
    package func read(_ request: PictureRequest) async throws(RigProblem) -> PictureAnswer {
        let file = try await files.file(request.file, of: request.shot)
        guard let pictured = file.pictured else {
            throw request.absent(
                "they are made of stills, of a raw file without a still, and of the first file of a movie")
        }
        do {
            guard let bytes = try await find(request, pictured) else {
                throw RigProblem(
                    .inputOutput,
                    "the \(request.picture.rawValue) of \(request.file) of shot \(request.shot) was removed while it was "
                        + "read; ask again")
            }
            return PictureAnswer(request: request, bytes: bytes, content: file.content)
        } catch let problem as RigProblem {
            throw problem
        } catch let problem as PictureProblem {
            throw request.absent("\(problem)")
        } catch let error as StorageError where error.code == .notFound {
            try await files.requireNotDeleted(request.shot)
            throw RigProblem(
                .fileLost,
                "the library has lost \(request.file) of shot \(request.shot): it was moved or removed. Restore it; "
                    + "`capctl shots verify \(request.shot)` names all missing files")
        } catch let error as StorageError {
            throw RigProblem(error)
        } catch {
            throw RigProblem(.inputOutput, "\(error)")
        }
    }

    private func find(_ request: PictureRequest, _ file: PicturedFile) async throws -> [UInt8]? {
        if let bytes = try await reader?.picture(request.picture, of: file) { return bytes }
        guard let reader, let maker else {
            throw request.absent("the coordinator makes none (`library.previews` in its configuration)")
        }
        try await maker.supply(file)
        return try await reader.picture(request.picture, of: file)
    }
}

extension PictureRequest {
    fileprivate func absent(_ reason: String) -> RigProblem {
        RigProblem(.noPicture, "\(file) of shot \(shot) has no small pictures: \(reason)")
    }
}
