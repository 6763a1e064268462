// Multiplies a small matrix by a vector, as a program does that knows Krylite from its installed headers.
#include <krylite/core/kokkos_compat.hpp>
#include <krylite/formats/csr.hpp>
#include <krylite/spmv/spmv.hpp>

#include <cstdint>
#include <iostream>

using Matrix = krylite::CsrMatrix<double, std::int64_t>;

template <class ViewType, std::size_t N>
ViewType to_device(const typename ViewType::value_type (&entries)[N]) {
  ViewType view("consumer", N);
  auto mirror = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < N; ++i) mirror(i) = entries[i];
  Kokkos::deep_copy(view, mirror);
  return view;
}

// [ 2 -1  0 ]   [ 1 ]   [ 0 ]
// [-1  2 -1 ] * [ 2 ] = [ 0 ]
// [ 0 -1  2 ]   [ 3 ]   [ 4 ]
bool product_is_right() {
  const Matrix A(3, 3, to_device<Matrix::row_pointers_type>({0, 2, 5, 7}),
                 to_device<Matrix::columns_type>({0, 1, 0, 1, 2, 1, 2}),
                 to_device<Matrix::values_type>({2, -1, -1, 2, -1, -1, 2}));
  const auto x = to_device<Matrix::values_type>({1, 2, 3});
  const auto y = to_device<Matrix::values_type>({7, 7, 7});
  krylite::spmv(Kokkos::DefaultExecutionSpace(), 1.0, A, x, 0.0, y);

  int not_used_on_purpose;  // Krylite's warning flags must not reach this project
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::cout << "y = " << result(0) << ' ' << result(1) << ' ' << result(2) << '\n';
  return result(0) == 0 && result(1) == 0 && result(2) == 4;
}

int main() {
  krylite::initialize_kokkos();
  const bool right = product_is_right();
  Kokkos::finalize();
  return right ? 0 : 1;
}
