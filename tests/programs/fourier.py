"""Fourier transforms, convolutions by them, signal processing, complex arithmetic."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

from registry import normal, program, uniform


def signal(seed, *shape):
    return (normal(seed, *shape) + 1j * normal(seed + "i", *shape)).astype(np.complex64)


for length in (1, 7, 16, 30, 97, 128):
    program(name="fft_%d" % length)(lambda n=length: (jnp.fft.fft, (signal("fft", 3, n),)))
for length in (9, 64, 101):
    program(name="rfft_irfft_%d" % length)(lambda n=length: ((lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 1.5, n)), (normal("rf", 2, n),)))


@program
def fft_two_and_three_dimensions():
    return (lambda x: (jnp.fft.fft2(x), jnp.fft.ifftn(x, axes=(0, 1, 2)))), (signal("fft3", 5, 6, 8),)


@program
def fft_hermitian():
    return (lambda x: (jnp.fft.hfft(x, 12), jnp.fft.ihfft(x.real))), (signal("fh", 2, 7),)


@program
def fft_convolution():
    return (lambda x, k: jsp.signal.fftconvolve(x, k, mode="same")), (normal("fc", 50), normal("fck", 9))


@program(x64=True)
def fft_double_precision_gradient():
    return jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2 * jnp.arange(8))), (normal("fdg", 14, dtype=np.float64),)


program(name="fft_f64_power", x64=True)(lambda: ((lambda x: jnp.abs(jnp.fft.fft(x)) ** 2), (normal("f64p", 3, 45, dtype=np.float64),)))


@program
def spectral_filter_fno_layer():
    def run(x, w):
        f = jnp.fft.rfft(x, axis=1)
        low = jnp.einsum("bmi,mio->bmo", f[:, :5], w)
        return jnp.fft.irfft(jnp.zeros_like(f).at[:, :5].set(low), x.shape[1], axis=1)

    return run, (normal("fno", 2, 20, 3), signal("fnow", 5, 3, 3))


@program
def fftshift_and_frequencies():
    return (lambda x: jnp.fft.ifftshift(jnp.fft.fftshift(x, (0,)) * jnp.fft.fftfreq(9)[:, None])), (normal("fs", 9, 4),)


@program
def stft_magnitude():
    def run(x):
        frames = jnp.stack([x[:, at * 8 : at * 8 + 16] for at in range(7)], 1) * jnp.hanning(16)
        return jnp.log1p(jnp.abs(jnp.fft.rfft(frames)))

    return run, (normal("stft", 2, 64),)


@program
def mel_filter_bank_dct():
    def run(power, mel):
        logs = jnp.log(jnp.maximum(power @ mel, 1e-5))
        return jsp.fft.dct(logs, norm="ortho")

    return run, (uniform("mel", 6, 17), uniform("melb", 17, 10))


@program
def hilbert_envelope():
    def run(x):
        f = jnp.fft.fft(x)
        h = jnp.zeros(24).at[0].set(1).at[1:12].set(2).at[12].set(1)
        z = jnp.fft.ifft(f * h)
        return jnp.abs(z), jnp.unwrap(jnp.angle(z))

    return run, (np.sin(np.arange(24, dtype=np.float32) * 1.3) * (1 + 0.2 * np.arange(24, dtype=np.float32)),)


@program
def poisson_solver_spectral():
    def run(rhs):
        k = jnp.fft.fftfreq(16) * 16 * 2 * jnp.pi
        k2 = k[:, None] ** 2 + k[None] ** 2
        f = jnp.fft.fft2(rhs) / jnp.where(k2 == 0, 1, -k2)
        return jnp.fft.ifft2(f.at[0, 0].set(0)).real

    return run, (normal("pois", 16, 16),)


@program
def autocorrelation_by_convolve():
    return (lambda x: (jnp.correlate(x, x, "full"), jnp.convolve(x, jnp.ones(5) / 5, "valid"))), (normal("auto", 31),)


@program
def biquad_filter_scan():
    def run(x, b, a):
        def step(s, x):
            y = b[0] * x + s[0]
            return (b[1] * x - a[0] * y + s[1], b[2] * x - a[1] * y), y

        return lax.scan(step, (0.0, 0.0), x)[1]

    return run, (normal("biq", 40), np.array([0.2, 0.4, 0.2], np.float32), np.array([-0.4, 0.2], np.float32))


@program
def complex_functions():
    def run(z):
        return jnp.exp(z), jnp.log(z), jnp.sqrt(z), jnp.sin(z), jnp.tanh(z), z**2.5, 1 / z, jnp.abs(z), jnp.angle(z), jnp.conj(z) * z

    return run, (signal("cf", 23),)


@program
def complex_matrix_products_and_gradient():
    def run(a, b):
        f = lambda a: jnp.sum(jnp.abs(a @ b) ** 2)
        return a @ b, jnp.einsum("ij,kj->ik", a, jnp.conj(a)), jax.grad(f)(a)

    return run, (signal("cma", 5, 7), signal("cmb", 7, 3))


@program
def mandelbrot_while():
    def run(c):
        def body(s):
            z, n, t = s
            inside = jnp.abs(z) < 2
            return jnp.where(inside, z * z + c, z), n + inside, t + 1

        return lax.while_loop(lambda s: s[2] < 20, body, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32), 0))[1]

    x, y = np.meshgrid(np.linspace(-2, 0.6, 13), np.linspace(-1.1, 1.1, 9))
    return run, ((x + 1j * y).astype(np.complex64),)


@program
def quantum_circuit_statevector():
    def run(theta):
        state = jnp.zeros((2,) * 4, jnp.complex64).at[0, 0, 0, 0].set(1)
        for q in range(4):
            c, s = jnp.cos(theta[q] / 2), jnp.sin(theta[q] / 2)
            gate = jnp.stack([jnp.stack([c, -1j * s]), jnp.stack([-1j * s, c])])
            state = jnp.moveaxis(jnp.tensordot(gate, state, ((1,), (q,))), 0, q)
        for q in range(3):
            sign = jnp.ones((2, 2)).at[1, 1].set(-1)
            state = state * sign.reshape([2 if a in (q, q + 1) else 1 for a in range(4)])
        p = jnp.abs(state) ** 2
        return p, jnp.sum(p[0]) - jnp.sum(p[1])

    return run, (normal("qcs", 4),)


@program
def audio_griffin_lim_step():
    def run(mag, angle):
        spec = mag * jnp.exp(1j * angle)
        frames = jnp.fft.irfft(spec, 16) * jnp.hanning(16)
        out = jnp.zeros(56)
        for at in range(6):
            out = out.at[at * 8 : at * 8 + 16].add(frames[at])
        again = jnp.fft.rfft(jnp.stack([out[at * 8 : at * 8 + 16] for at in range(6)]) * jnp.hanning(16))
        return out, again.real

    return run, (uniform("glm", 6, 9), normal("gla", 6, 9))
