import CaptureModel
import Catalogue
import StorageKit

/// What is answered from memory, library, catalogue and feed.
extension CoordinatorService {
    func answer(_ query: RigQuery) async throws -> RigAnswer {
        switch query {
        case .devices: .devices(await rig.deviceList())
        case .status: .status(await status())
        case .shots(let page): .shots(try await catalogue.shots(page))
        case .shot(let id): .shot(try await shotAnswer(id))
        case .verification(let id): try await verification(of: id)
        case .unclaimedFiles: .unclaimedFiles(try await library.unclaimed())
        case .events(let position, let limit): .events(await feed.page(after: position, limit: limit))
        }
    }

    private func status() async -> RigStatus {
        var status = await rig.status()
        status.libraryFreeBytes = libraryWatch.freeBytes
        status.librarySilence = libraryWatch.silence
        status.libraryProblem = libraryWatch.problem
        return status
    }

    private func shotAnswer(_ id: ShotID) async throws -> ShotAnswer {
        var answer = located(try await shot(id))
        // One that is damaged hides no shot.
        if let annotation = try? await library.annotation(of: id), !annotation.isEmpty {
            answer.annotation = annotation
        }
        return answer
    }

    func located(_ shot: Shot) -> ShotAnswer {
        ShotAnswer(shot: shot, folder: library.folder(of: shot), library: library.path)
    }

    func annotate(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        let shot = try await shot(id)
        let annotation = try await library.annotate(id, edit)
        catalogue.note(shot)
        return annotation
    }

    private func verification(of id: ShotID) async throws -> RigAnswer {
        _ = try await shot(id)
        return .verification(id, try await library.verify(id))
    }

    private func shot(_ id: ShotID) async throws -> Shot {
        guard let shot = try await library.shot(id) else {
            throw CaptureProblem(.unknownShot, "the library has no shot \(id); `capctl shots list` shows those it has")
        }
        return shot
    }
}
