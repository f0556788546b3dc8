public import CaptureModel

/// Knows copies of shots that other programs have made outside of the library.
public protocol ShotCopies: Sendable {
    /// Compares the copy of a shot with its manifest.
    /// - Returns: Why there is no complete copy, as a sentence; nil if there is one: every stored file with its bytes.
    /// - Complexity: Reads every file of the copy.
    func shortfall(of shot: Shot) async -> String?
}
