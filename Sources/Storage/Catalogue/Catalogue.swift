public import CaptureModel
public import StorageKit

/// Finds shots of a library by their properties. The library's manifests are authoritative. All other data of a catalogue can be deleted
/// and is created again.
public protocol Catalogue: Sendable {
    /// Notes that a manifest of this shot has become durable, or that its title or note has changed. Returns at once and never fails, so no
    /// shot waits for a catalogue.
    func note(_ shot: Shot)

    /// Returns shots, newest day first and within a day the highest id first. Ids are in the order of the requests. The answer includes
    /// what has been noted.
    /// - Throws: `inputOutput` if the library itself cannot be read, but never because of the catalogue's own data.
    func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing
}
