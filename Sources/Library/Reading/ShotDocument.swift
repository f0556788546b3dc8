public import CaptureModel
public import Foundation

/// A shot as `shot.json` tells it, for whoever passes it on.
public enum ShotDocument {
    /// The bytes of the manifest.
    public static func data(of shot: Shot) throws(CaptureProblem) -> Data {
        Data(try ShotManifest(shot: shot).encoded())
    }

    /// The shot in the bytes of a manifest, which may come from anyone.
    /// - Throws: `corrupted`, saying what is wrong.
    public static func shot(in data: Data) throws(CaptureProblem) -> Shot {
        try ShotManifest.decode(Array(data))
    }

    /// The shot's folder inside the library: `YYYY/MM/DD/<shot>`.
    public static func folder(of shot: Shot) -> String {
        LibraryNames.folders(of: shot).joined(separator: "/")
    }
}
